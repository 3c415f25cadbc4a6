"""HTTP proxy for clients that cannot name a port: sends every request to one address."""
import http.server
import threading
import urllib.error
import urllib.parse
import urllib.request


def start_forward_proxy(address):
    """Starts the proxy on a free port of this machine, as a daemon thread, and returns its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self):
            target = urllib.parse.urlsplit(self.path)
            length = int(self.headers.get("content-length") or 0)
            request = urllib.request.Request(
                address + urllib.parse.urlunsplit(("", "", target.path, target.query, "")),
                data=self.rfile.read(length) if length else None,
                method=self.command,
                headers={name: value for name, value in self.headers.items() if name.lower() != "host"},
            )
            try:
                answer = opener.open(request)
            except urllib.error.HTTPError as error:
                answer = error
            body = answer.read()
            self.send_response(answer.status)
            for name in ("content-type", "content-encoding"):
                if name in answer.headers:
                    self.send_header(name, answer.headers[name])
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = forward

        def log_message(self, *_):
            pass

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"
