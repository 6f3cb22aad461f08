/* The least that a credential helper with a broker can be: `stub SOCKET get` copies its question to
   the socket and the answer to stdout; `stub SOCKET serve` is the broker, with one answer for all. */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char answer[] = "username=u\npassword=p\n";
static char buffer[65536];

static void copy(int from, int to) {
  ssize_t got;
  while ((got = read(from, buffer, sizeof buffer)) > 0)
    for (ssize_t sent = 0, put; sent < got; sent += put)
      if ((put = write(to, buffer + sent, got - sent)) < 0) return;
}

int main(int count, char **words) {
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  int end = socket(AF_UNIX, SOCK_STREAM, 0);
  if (count < 3 || end < 0 || strlen(words[1]) >= sizeof place.sun_path) return 2;
  strcpy(place.sun_path, words[1]);
  if (strcmp(words[2], "serve") == 0) {
    if (bind(end, (struct sockaddr *)&place, sizeof place) < 0 || listen(end, 128) < 0) return 1;
    if (write(1, "up\n", 3) < 0) return 1;
    for (;;) {
      int peer = accept(end, 0, 0);
      if (peer < 0) return 1;
      while (read(peer, buffer, sizeof buffer) > 0) continue;
      if (write(peer, answer, sizeof answer - 1) < 0) return 1;
      close(peer);
    }
  }
  if (strcmp(words[2], "get") != 0) return 0;
  if (connect(end, (struct sockaddr *)&place, sizeof place) < 0) return 1;
  copy(0, end);
  shutdown(end, SHUT_WR);
  copy(end, 1);
  return 0;
}
