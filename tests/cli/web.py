# SPDX-License-Identifier: Apache-2.0
"""Web servers of a test: nginx as an ordinary user's, and one that lies."""

import contextlib
import http.server
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse
import urllib.request

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


S3RVER = pathlib.Path(__file__).resolve().parents[2] / "build" / "s3rver" / "node_modules" / ".bin" / "s3rver"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def nginx(site, work):
    """The URL of nginx that serves `site`, and the log of its requests: connection, request, status, bytes."""
    port = free_port()
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{name}_temp_path {work}/temp;" for name in kinds)
    (work / "nginx.conf").write_text(
        f"daemon off; pid {work}/nginx.pid; error_log {work}/errors; worker_processes 1;"
        + (" user root;" if os.geteuid() == 0 else "")
        + " events {} http { " + temporary
        + " log_format own '$connection $status $body_bytes_sent $request_uri $http_range';"
        + f" access_log {work}/log own; keepalive_requests 100000;"
        + f" server {{ listen 127.0.0.1:{port}; root {site}; }} }}"
    )
    with subprocess.Popen([NGINX, "-e", work / "errors", "-c", work / "nginx.conf"]) as process:
        try:
            for _ in range(500):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.02)
            yield f"http://127.0.0.1:{port}", work / "log"
        finally:
            process.terminate()


@contextlib.contextmanager
def s3(site, data):
    """The URL of a bucket of an S3 server that has the files of `site`."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/site"
    command = [S3RVER, "-d", data, "-a", "127.0.0.1", "-p", str(port), "--configure-bucket", "site"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(500):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.02)
            for file in site.iterdir():
                request = urllib.request.Request(f"{url}/{file.name}", file.read_bytes(), method="PUT")
                urllib.request.urlopen(request).close()  # pylint: disable=consider-using-with
            yield url
        finally:
            process.kill()


class Liar(http.server.BaseHTTPRequestHandler):
    """Answers rightly but for what `server.lie` does: it is given the handler and a Reply, and may change that, or
    answer by itself and return False."""

    protocol_version = "HTTP/1.1"

    class Reply:
        def __init__(self, status, headers, body):
            self.status, self.headers, self.body = status, headers, body

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.server.requests.append((self.path, self.headers["Range"]))
        file = self.server.site / urllib.parse.unquote(self.path.lstrip("/"))
        if not file.is_file():
            reply = self.Reply(404, {}, b"not here")
        else:
            data = file.read_bytes()
            found = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers["Range"] or "")
            reply = self.Reply(200, {"ETag": '"%d"' % len(data)}, data)
            if found:
                begin = int(found[1]) if found[1] else max(0, len(data) - int(found[2]))
                end = min(len(data), int(found[2]) + 1) if found[1] else len(data)
                reply.status, reply.body = 206, data[begin:end]
                reply.headers["Content-Range"] = f"bytes {begin}-{end - 1}/{len(data)}"
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if self.server.lie and self.server.lie(self, reply) is False:
                self.close_connection = True
                return
            self.server.sent += len(reply.body)
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)


def certificate(work):
    """The path of a key with its certificate for 127.0.0.1, which signs itself."""
    path = work / "server.pem"
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", *names]
    subprocess.run([*command, "-keyout", path, "-out", work / "server.crt"], stderr=subprocess.DEVNULL, check=True)
    path.write_bytes(path.read_bytes() + (work / "server.crt").read_bytes())
    return path


@contextlib.contextmanager
def liar(site, lie=None, pem=None):
    """The URL of the server, and the server, whose `lie` may be changed. With `pem`, a certificate(), it is one of https."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Liar)
    if pem is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # who was cut off went away
    server.site, server.lie, server.requests, server.sent, server.daemon_threads = site, lie, [], 0, True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http{'' if pem is None else 's'}://127.0.0.1:{server.server_port}", server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
