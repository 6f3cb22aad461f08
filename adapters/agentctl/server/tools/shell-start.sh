# Read by a shell that is not interactive (bash(1), BASH_ENV), after what its profile did to PATH:
# the file that BASH_ENV named before, then the managed tools first again.
if [ -n "${KANDEV_PARENT_BASH_ENV-}" ] && [ -r "$KANDEV_PARENT_BASH_ENV" ]; then
  . "$KANDEV_PARENT_BASH_ENV"
fi
if [ -n "${KANDEV_TOOLS_DIR-}" ]; then
  case ${PATH-}: in
  "$KANDEV_TOOLS_DIR":*) ;;
  *) PATH=$KANDEV_TOOLS_DIR${PATH:+:$PATH} ;;
  esac
  export PATH
fi
