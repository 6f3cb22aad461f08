"""The MCP tool server."""
