# SPDX-License-Identifier: Apache-2.0
"""Ranges of files of web servers, by the standard library: several at once, over connections that are kept."""

from __future__ import annotations

import base64
import http.client
import io
import os
import re
import socket
import ssl
import threading
import time
import urllib.parse
import urllib.request
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Dict, List, NoReturn, Optional, Sequence, Set, Tuple

from ._errors import ResourceError, UsageError

#: At once, to one server.
_CONNECTIONS = 6
#: Who sends less, in bytes a second, is given up.
_SLOWEST = 1000
_MOST_HEADER_BYTES = 64 << 10
_MOST_REDIRECTIONS = 5
_MOVED = (301, 302, 303, 307, 308)
#: There is no file. Object stores forbid what they do not have.
_MISSING = (403, 404, 410)
#: The server may answer later.
_BUSY = (429, 502, 503, 504)


@dataclass(frozen=True)
class Request:
    """For a range of a file, as "0-99" or of its end "-100"; all of it where that is empty."""

    url: str
    range: str
    most: int  #: bytes that may come
    or_nothing: bool = False  #: of a range from the end, which not all servers know: anything else that comes is not taken


@dataclass(frozen=True)
class Reply:
    """What a server has of a file."""

    found: bool
    begin: int = 0
    length: int = 0  #: of the file
    version: str = ""  #: the ETag, or the time of the last change
    body: bytes = b""


def shown(url: str) -> str:
    """The URL without user and password, for messages."""
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def web_url(url: str) -> str:
    """The URL without what servers are not asked for. UsageError for what is no URL of a web server; it may have a password,
    which no message shows."""
    if not isinstance(url, str):
        raise TypeError(f"url is {url!r}, not a str")
    try:
        parts = urllib.parse.urlsplit(url)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one:
        raise UsageError("url is not a URL of http or https that names a host")
    return urllib.parse.urlunsplit(parts._replace(path=parts.path or "/", fragment=""))


def beside(url: str, name: bytes) -> str:
    """The URL of a file beside one."""
    return url[: url.rindex("/") + 1] + urllib.parse.quote(name, safe="-._~/")


def fail(url: str, problem: str) -> NoReturn:
    """Raises ResourceError."""
    error = ResourceError(f"{shown(url)}: {problem}")
    error.file = error.filename = shown(url)
    raise error


class _TooMuch(Exception):
    """A server sends more than it was asked for."""


class _TooSlow(Exception):
    """A server sends too little."""


class _Bounded(io.RawIOBase):
    """What a server sends in answer to a request: so many bytes, and not too slowly, whatever they are."""

    def __init__(self, raw: Any, to: socket.socket, most: int, patience: float):
        super().__init__()
        self._raw, self._to, self._left, self._patience = raw, to, most + _MOST_HEADER_BYTES, patience
        self._ends = time.monotonic() + 2 * patience

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> Any:
        rest = self._ends - time.monotonic()
        if rest <= 0:
            raise _TooSlow
        self._to.settimeout(min(rest, self._patience))
        size = self._raw.readinto(room)
        self._left -= size
        self._ends += size / _SLOWEST
        if self._left < 0:
            raise _TooMuch
        return size

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Connection(http.client.HTTPConnection):
    """To a server, or to a proxy that asks it."""

    origin: Tuple[str, str] = ("", "")
    through_proxy = False  #: which is told the whole URL
    is_kept = False  #: it was used before, and the server may have closed it since

    def ask(self, url: str, fields: Dict[str, str], most: int) -> http.client.HTTPResponse:
        patience = self.timeout

        def response(to: socket.socket, *args: Any, **named: Any) -> http.client.HTTPResponse:
            made = http.client.HTTPResponse(to, *args, **named)
            made.fp = io.BufferedReader(_Bounded(made.fp.detach(), to, most, patience))  # type: ignore[attr-defined]
            return made

        self.response_class = response  # type: ignore[assignment,method-assign]
        parts = urllib.parse.urlsplit(url)
        target = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))  # a redirection may have no path
        target = urllib.parse.quote(target, safe="!#$%&'()*+,/:;=?@[]~")
        self.request("GET", f"http://{self.origin[1]}{target}" if self.through_proxy else target, headers=fields)
        return self.getresponse()

    def interrupt(self) -> None:
        """Ends what another thread waits for."""
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass


class _SafeConnection(_Connection, http.client.HTTPSConnection):
    pass


class Client:
    """Speaks http and https, and follows five redirections: from https to https alone, and to other hosts without user and
    password. `timeout` is how long, in seconds, a server may take to connect, or be silent, or send less than 1,000 bytes a
    second; `retries` how often a request is made again of one that cannot be reached or is busy, after a pause that grows."""

    def __init__(self, timeout: float, retries: int):
        self._timeout, self.retries = timeout, retries
        self._context: Optional[ssl.SSLContext] = None
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._idle: List[_Connection] = []
        self._running: Set[_Connection] = set()

    def __del__(self) -> None:
        for connection in self._idle:
            connection.close()

    def get(self, requests: Sequence[Request]) -> List[Reply]:
        """The replies, in their order. ResourceError for other statuses, ranges and lengths than were asked for."""
        if self._process != os.getpid():  # the connections are the parent's
            self._process, self._idle, self._running, self._lock = os.getpid(), [], set(), threading.Lock()
        left = list(enumerate(requests))
        done: SimpleQueue = SimpleQueue()
        stopped = threading.Event()
        replies: Dict[int, Reply] = {}

        def work() -> None:
            while left:
                try:
                    number, request = left.pop(0)
                except IndexError:  # another thread was first
                    return
                try:
                    done.put((number, _Transfer(self, request, stopped).reply()))
                except BaseException as error:  # pylint: disable=broad-except
                    done.put((number, error))

        try:
            for _ in range(min(_CONNECTIONS, len(left))):
                threading.Thread(target=work, name="crivo.Remote", daemon=True).start()
            while len(replies) < len(requests):
                number, reply = done.get()
                if isinstance(reply, BaseException):
                    raise reply
                replies[number] = reply
        except BaseException:
            left.clear()
            stopped.set()
            with self._lock:
                running, self._running = self._running, set()
            for connection in running:
                connection.interrupt()
            raise
        return [replies[number] for number in range(len(requests))]

    def take(self, scheme: str, host: str) -> _Connection:
        """One that is kept, or a new one, which is not open yet."""
        with self._lock:
            kept = next((each for each in self._idle if each.origin == (scheme, host)), None)
            if kept is not None:
                self._idle.remove(kept)
            connection = kept or self._made(scheme, host)
            self._running.add(connection)
        return connection

    def _made(self, scheme: str, host: str) -> _Connection:
        proxy = urllib.request.getproxies_environment().get(scheme)
        if proxy and urllib.request.proxy_bypass_environment(host):
            proxy = None
        to = urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}").netloc.rpartition("@")[2] if proxy else host
        if scheme == "http":
            connection = _Connection(to, timeout=self._timeout)
            connection.through_proxy = bool(proxy)
        else:
            self._context = self._context or ssl.create_default_context()
            connection = _SafeConnection(to, timeout=self._timeout, context=self._context)
            if proxy:
                connection.set_tunnel(host)
        connection.origin = (scheme, host)
        return connection

    def keep(self, connection: _Connection) -> None:
        """For another request, unless its call was ended."""
        with self._lock:
            is_kept = connection.is_kept = connection in self._running
            if is_kept:
                self._running.remove(connection)
                self._idle.append(connection)
        if not is_kept:
            connection.close()

    def drop(self, connection: _Connection) -> None:
        with self._lock:
            self._running.discard(connection)
        connection.close()


class _Transfer:
    """A request on its way, until its call is `stopped`."""

    def __init__(self, client: Client, request: Request, stopped: threading.Event):
        self._client, self._request, self._stopped = client, request, stopped
        self._url = request.url  # that redirections led to

    def reply(self) -> Reply:
        """Asks again where nothing came."""
        pause = 0.25
        for left in range(self._client.retries, -1, -1):
            try:
                return self._one_reply(is_last=left == 0)
            except ConnectionError as error:
                if left == 0 or self._stopped.wait(pause):
                    fail(self._request.url, str(error) or type(error).__name__)
            pause *= 2
        raise AssertionError

    def _one_reply(self, is_last: bool) -> Reply:
        """Raises ConnectionError where the request may be made again."""
        self._url = self._request.url
        for _ in range(_MOST_REDIRECTIONS + 1):
            connection, response = self._response()
            if response.status not in _MOVED or "Location" not in response.headers:
                break
            response.close()
            self._client.drop(connection)
            self._follow(response.headers["Location"])
        else:
            self._fail(f"redirects more than {_MOST_REDIRECTIONS} times")
        was_read = False
        try:
            if response.status in _BUSY and not is_last:
                raise ConnectionError(response.status)
            reply = self._taken(response)
            was_read = response.isclosed() and not response.will_close
        finally:
            response.close()
            (self._client.keep if was_read else self._client.drop)(connection)
        return reply

    def _response(self) -> Tuple[_Connection, http.client.HTTPResponse]:
        """Raises ConnectionError where nothing came."""
        asked, parts = (urllib.parse.urlsplit(url) for url in (self._request.url, self._url))
        fields = {"User-Agent": "crivo"}
        if self._request.range:
            fields["Range"] = f"bytes={self._request.range}"
        if asked.username and _host(self._url) == _host(self._request.url):
            secret = f"{urllib.parse.unquote(asked.username)}:{urllib.parse.unquote(asked.password or '')}"
            fields["Authorization"] = "Basic " + base64.b64encode(secret.encode()).decode()
        while True:
            connection = self._client.take(parts.scheme, _host(self._url))
            try:
                if connection.sock is None:
                    connection.connect()
                if self._stopped.is_set():  # while it was not there to be interrupted
                    raise ConnectionError("the call was ended")
                return connection, connection.ask(self._url, fields, self._request.most)
            except ConnectionError:
                self._client.drop(connection)
                if not connection.is_kept or self._stopped.is_set():
                    raise
            except (OSError, http.client.HTTPException, ValueError, _TooMuch, _TooSlow) as error:
                self._client.drop(connection)
                self._fail(self._problem(error))
            except BaseException:
                self._client.drop(connection)
                raise

    def _follow(self, place: str) -> None:
        try:
            place = urllib.parse.urljoin(self._url, place)
            scheme, host = urllib.parse.urlsplit(place).scheme, urllib.parse.urlsplit(place).hostname
        except ValueError:
            scheme, host = "", None
        must_be_safe = urllib.parse.urlsplit(self._request.url).scheme == "https"
        if not host or scheme not in ("http", "https") or must_be_safe and scheme != "https":
            self._fail("the server leads to an address that is not followed: from https to https alone")
        self._url = place

    def _taken(self, response: http.client.HTTPResponse) -> Reply:
        status, fields, request = response.status, response.headers, self._request
        # Or it is a directory with another URL, of which the server sends a list.
        is_list = status == 200 and request.range != "" and self._url.endswith("/") and not request.url.endswith("/")
        if status in _MISSING or is_list:
            return Reply(False)
        told = re.fullmatch(r"bytes (\d{1,19})-(\d{1,19})/(\d{1,19})", fields.get("Content-Range", "").strip())
        begin, last, length = (int(each) for each in told.groups()) if told else (0, 0, 0)
        has_range = begin <= last < length
        version = fields.get("ETag") or fields.get("Last-Modified") or ""
        if request.or_nothing and (status == 200 or has_range and last + 1 != length):
            return Reply(True, 0, length, version)
        if status == 200 and request.range:
            self._fail("is the URL of a directory; name a file in it" if self._url.endswith("/")
                       else "the server sends no ranges; download the file")
        if status != (206 if request.range else 200):
            self._fail(f"the server answers with the status {status}")
        if request.range and not has_range:
            self._fail("the server does not say which range it sends")
        claimed = response.length
        try:
            body = response.read(request.most + 1)
        except (OSError, http.client.HTTPException, _TooMuch, _TooSlow) as error:
            self._fail(self._problem(error))
        if len(body) > request.most:
            self._fail(f"the server sends more than the {request.most} bytes that were asked for")
        wanted = last - begin + 1 if request.range else len(body) if claimed is None else claimed
        if len(body) != wanted:
            self._fail(f"the server sent {len(body)} bytes, not {wanted}")
        return Reply(True, begin, length, version, body)

    def _problem(self, error: BaseException) -> str:
        if isinstance(error, _TooMuch):
            return f"the server sends more than the {self._request.most} bytes that were asked for, or an endless header"
        if isinstance(error, (_TooSlow, TimeoutError)):
            return f"the server sends nothing, or less than {_SLOWEST} bytes a second"
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"the server's certificate is not trusted: {error.verify_message}"
        return str(error) or type(error).__name__

    def _fail(self, problem: str) -> NoReturn:
        """Names the host that the server led to, if it is another one."""
        host = _host(self._url)
        fail(self._request.url, problem if host == _host(self._request.url) else f"{problem} (it led to {host})")


def _host(url: str) -> str:
    """And the port."""
    return urllib.parse.urlsplit(url).netloc.rpartition("@")[2]
