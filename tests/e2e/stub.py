"""A loop-back S3 stand-in whose answers are scripted.

It keeps objects in memory and answers the operations s3kit uses, so a test scripts only what shall go wrong: a hook sees each
request after its headers and before its body, and may answer itself, break the connection, or let the store answer.
"""

import hashlib
import re
import socket
import struct
import threading
import time
import urllib.parse
import zlib
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

DATE = "Tue, 02 Jan 2024 03:04:05 GMT"
ISO_DATE = "2024-01-02T03:04:05.000Z"
NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
SAFE = "-._~/"


class Closed(Exception):
    """The client went away, or the script ended this connection."""


@dataclass
class Reply:
    """An answer, with what is wrong about it."""

    status: int = 200
    body: bytes = b""
    headers: dict = field(default_factory=dict)
    #: close after so many body bytes
    cut: int | None = None
    #: how to close: an orderly end, or a reset
    reset: bool = False
    #: after so many body bytes, fall silent until the client leaves or the stub stops
    silent_after: int | None = None
    #: seconds between single bytes
    drip: float | None = None
    #: chunked transfer coding, no Content-Length
    chunked: bool = False


DONE = object()
"""What a hook returns when it has dealt with the request itself."""


@dataclass
class StoredObject:
    body: bytes
    etag: str
    headers: dict = field(default_factory=dict)


class Request:
    """One request: its head at once, its body when asked for."""

    def __init__(self, stub, connection, stream, method, target, headers, number):
        self.stub, self.connection, self.stream = stub, connection, stream
        self.method, self.target, self.headers, self.number = method, target, headers, number
        self.time = time.monotonic()
        self.status = None
        path, _, query = target.partition("?")
        self.query = {k: v for k, v in urllib.parse.parse_qsl(query, keep_blank_values=True)}
        bucket, _, key = path.lstrip("/").partition("/") if not path.startswith("//") else ("", "", path)
        self.bucket, self.key = urllib.parse.unquote(bucket), urllib.parse.unquote(key)
        self.length = int(headers.get("content-length", 0))
        self.received = 0
        self.operation = self._operation()
        self.nth = 0

    def __repr__(self):
        return f"<{self.number} {self.operation} {self.target} -> {self.status}>"

    def _operation(self):
        m, q, h = self.method, self.query, self.headers
        copy = "x-amz-copy-source" in h
        if not self.bucket:
            return "ListBuckets"
        if not self.key:
            if m == "GET":
                for name, operation in (("uploads", "ListMultipartUploads"), ("versions", "ListObjectVersions"),
                                        ("location", "GetBucketLocation"), ("versioning", "GetBucketVersioning")):
                    if name in q:
                        return operation
                return "ListObjectsV2" if q.get("list-type") == "2" else "ListObjects"
            if m == "POST":
                return "DeleteObjects"
            return {"HEAD": "HeadBucket", "PUT": "CreateBucket", "DELETE": "DeleteBucket"}.get(m, m)
        if "tagging" in q:
            return {"GET": "GetObjectTagging", "PUT": "PutObjectTagging"}.get(m, m)
        if "attributes" in q:
            return "GetObjectAttributes"
        if "uploadId" in q:
            return {"PUT": "UploadPartCopy" if copy else "UploadPart", "POST": "CompleteMultipartUpload",
                    "DELETE": "AbortMultipartUpload", "GET": "ListParts"}.get(m, m)
        if m == "POST":
            return "CreateMultipartUpload" if "uploads" in q else m
        return {"GET": "GetObject", "HEAD": "HeadObject", "PUT": "CopyObject" if copy else "PutObject",
                "DELETE": "DeleteObject"}.get(m, m)

    def read(self, count=None):
        """The next `count` bytes of the body (all that are left without a count)."""
        want = self.length - self.received if count is None else min(count, self.length - self.received)
        out = bytearray()
        while want:
            piece = self.stream.read(min(want, 1 << 20))
            if not piece:
                raise Closed
            out += piece
            want -= len(piece)
            self.received += len(piece)
        return bytes(out)

    def body(self):
        """The whole body; what the client sent in aws-chunked form stays as it is."""
        if "chunked" in self.headers.get("transfer-encoding", ""):
            out = bytearray()
            while size := int(self.stream.readline().split(b";")[0] or b"0", 16):
                out += self.stream.read(size)
                self.stream.readline()
            self.stream.readline()
            return bytes(out)
        return self.read()

    def discard(self):
        """Reads the body and keeps only its length."""
        buffer = memoryview(bytearray(1 << 20))
        while self.received < self.length:
            got = self.stream.readinto(buffer[: min(len(buffer), self.length - self.received)])
            if not got:
                raise Closed
            self.received += got
        return self.received

    def reset(self):
        """Ends the connection with a reset."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Closed

    def hang(self, seconds=3600.0):
        """Says nothing until the client leaves, the stub stops, or the time is over."""
        until = time.monotonic() + seconds
        self.connection.settimeout(0.1)
        while time.monotonic() < until and not self.stub.stopping:
            try:
                if not self.connection.recv(1, socket.MSG_PEEK):
                    raise Closed
            except TimeoutError:
                continue
            except OSError:
                raise Closed from None
            time.sleep(0.1)
        raise Closed


class Stub:
    """The server. `url` is its endpoint; `seen` what was asked, in order."""

    def __init__(self):
        self.objects = {}
        self.uploads = {}
        self.aborted = []
        self.deleted = []
        self.seen = []
        self.hooks = []
        self.stopping = False
        self.page_size = 1000
        #: keep no bytes, only count them
        self.discards = False
        #: part number → length, of every part accepted by a discarding stub
        self.part_lengths = {}
        self.generation = 0
        self._lock = threading.Lock()
        self._counts = {}
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._connections = set()
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    # -- scripting ---------------------------------------------------------------------------------------------------

    def hook(self, function):
        """Adds a hook; usable as a decorator."""
        self.hooks.append(function)
        return function

    def on(self, operation, answer, times=None):
        """Answers an operation with a Reply (or what a function of the request returns), for ever or so many times."""
        left = [times]

        def script(request):
            if request.operation != operation:
                return None
            with self._lock:
                if left[0] == 0:
                    return None
                if left[0] is not None:
                    left[0] -= 1
            return answer(request) if callable(answer) else answer

        self.hooks.append(script)

    def put(self, key, body=b"", etag=None, **headers):
        """Stores an object in the bucket `b` (or in `bucket/key` given as a pair)."""
        bucket, key = key if isinstance(key, tuple) else ("b", key)
        etag = etag or hashlib.md5(body).hexdigest()
        self.objects[bucket, key] = StoredObject(body, f'"{etag}"', {k.replace("_", "-"): v for k, v in headers.items()})

    def get(self, key, bucket="b"):
        found = self.objects.get((bucket, key))
        return None if found is None else found.body

    def asked(self, *operations):
        """The requests for the given operations, or all."""
        return [r for r in self.seen if not operations or r.operation in operations]

    def stop(self):
        self.stopping = True
        self._socket.close()
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    # -- the wire ----------------------------------------------------------------------------------------------------

    def _accept(self):
        while not self.stopping:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with self._lock:
                self._connections.add(connection)
                self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = connection.makefile("rb", buffering=1 << 18)
        try:
            while not self.stopping:
                request = self._read_head(connection, stream)
                if request is None:
                    return
                self._answer(request)
        except (Closed, OSError, ValueError):
            pass
        finally:
            try:
                stream.close()
                connection.close()
            except OSError:
                pass
            with self._lock:
                self._connections.discard(connection)

    def _read_head(self, connection, stream):
        line = stream.readline()
        if not line:
            return None
        method, target, _ = line.decode("latin-1").split(" ", 2)
        headers = {}
        while (line := stream.readline()) not in (b"\r\n", b"\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        with self._lock:
            request = Request(self, connection, stream, method, target, headers, len(self.seen) + 1)
            self._counts[request.operation] = self._counts.get(request.operation, 0) + 1
            request.nth = self._counts[request.operation]
            self.seen.append(request)
        return request

    def _answer(self, request):
        expects = "100-continue" in request.headers.get("expect", "")
        for hook in self.hooks:
            answer = hook(request)
            if answer is DONE:
                return
            if answer is not None:
                self.send(request, answer)
                return
        if expects:
            request.connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        self.send(request, self.store(request))

    def send(self, request, reply):
        """Sends an answer; one that comes before the request's body was read ends the connection."""
        request.status = reply.status
        body = b"" if request.method == "HEAD" else reply.body
        headers = {"Date": DATE, "x-amz-request-id": f"STUB{request.number:06}", "Content-Type": "application/xml"}
        headers.update(reply.headers)
        unread = request.received < request.length
        if reply.chunked:
            headers["Transfer-Encoding"] = "chunked"
            body = b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in _pieces(body, 65536)) + b"0\r\n\r\n"
        elif "Content-Length" not in headers and reply.status not in (204, 304):
            headers["Content-Length"] = str(len(reply.body))
        if unread or reply.cut is not None:
            headers["Connection"] = "close"
        head = f"HTTP/1.1 {reply.status} X\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers.items() if v is not None)
        request.connection.sendall(head.encode("latin-1") + b"\r\n")
        if reply.drip is not None:
            for index in range(len(body)):
                if self.stopping:
                    raise Closed
                request.connection.sendall(body[index : index + 1])
                time.sleep(reply.drip)
            return
        stop_at = min(x for x in (len(body), reply.cut, reply.silent_after) if x is not None)
        request.connection.sendall(body[:stop_at])
        if reply.silent_after is not None:
            request.hang()
        if reply.reset:
            request.reset()
        if unread or reply.cut is not None:
            # Half-closed first, so that the answer is not lost to a reset while the client still sends.
            request.connection.shutdown(socket.SHUT_WR)
            request.connection.settimeout(2)
            try:
                while request.connection.recv(1 << 16):
                    pass
            except OSError:
                pass
            raise Closed

    # -- the store ---------------------------------------------------------------------------------------------------

    def store(self, request):
        """The answer of a well-behaved, simple store."""
        handler = getattr(self, "_" + re.sub(r"(?<!^)(?=[A-Z])", "_", request.operation).lower(), None)
        if handler is None:
            return error(501, "NotImplemented", request.operation)
        return handler(request)

    def _list_buckets(self, request):
        names = sorted({bucket for bucket, _ in self.objects} | {"b"})
        items = "".join(f"<Bucket><Name>{n}</Name><CreationDate>{ISO_DATE}</CreationDate></Bucket>" for n in names)
        return xml(f"<ListAllMyBucketsResult {NAMESPACE}><Buckets>{items}</Buckets></ListAllMyBucketsResult>")

    def _head_bucket(self, request):
        return Reply(headers={"x-amz-bucket-region": "us-east-1"})

    def _create_bucket(self, request):
        request.body()
        return Reply()

    def _delete_bucket(self, request):
        return Reply(204)

    def _list_objects_v2(self, request):
        prefix = request.query.get("prefix", "")
        delimiter = request.query.get("delimiter", "")
        after = request.query.get("continuation-token") or request.query.get("start-after", "")
        limit = min(int(request.query.get("max-keys", self.page_size)), self.page_size)
        keys, prefixes, last = [], [], after
        for bucket, key in sorted(self.objects, key=lambda pair: pair[1].encode()):
            if bucket != request.bucket or not key.startswith(prefix) or key.encode() <= after.encode():
                continue
            cut = key.find(delimiter, len(prefix)) if delimiter else -1
            if cut >= 0:
                name = key[: cut + len(delimiter)]
                if name.encode() <= after.encode() or name in prefixes:
                    continue
            if len(keys) + len(prefixes) == limit:
                return list_page(request, keys, prefixes, self.objects, token=last)
            last = key if cut < 0 else name + "\U0010ffff"
            keys.append(key) if cut < 0 else prefixes.append(name)
        return list_page(request, keys, prefixes, self.objects)

    def _list_multipart_uploads(self, request):
        items = "".join(f"<Upload><Key>{urllib.parse.quote(u['key'])}</Key><UploadId>{i}</UploadId></Upload>"
                        for i, u in self.uploads.items())
        return xml(f"<ListMultipartUploadsResult {NAMESPACE}><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>"
                   f"{items}</ListMultipartUploadsResult>")

    def _head_object(self, request):
        return self._get_object(request)

    def _get_object(self, request):
        found = self.objects.get((request.bucket, request.key))
        if found is None:
            return error(404, "NoSuchKey", "The specified key does not exist.")
        if request.headers.get("if-match", found.etag) != found.etag:
            return error(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
        headers = {"ETag": found.etag, "Last-Modified": DATE, "Accept-Ranges": "bytes",
                   "Content-Type": "binary/octet-stream", **found.headers}
        return ranged(request, found.body, headers)

    def _put_object(self, request):
        if self.discards:
            return Reply(headers={"ETag": f'"{request.discard():032x}"'})
        body = request.body()
        self.put((request.bucket, request.key), body)
        return Reply(headers={"ETag": self.objects[request.bucket, request.key].etag})

    def _source(self, request):
        source = urllib.parse.unquote(request.headers["x-amz-copy-source"].partition("?")[0]).lstrip("/")
        bucket, _, key = source.partition("/")
        return self.objects.get((bucket, key))

    def _copy_object(self, request):
        source = self._source(request)
        if source is None:
            return error(404, "NoSuchKey", "The specified key does not exist.")
        self.objects[request.bucket, request.key] = source
        return xml(f"<CopyObjectResult {NAMESPACE}><LastModified>{ISO_DATE}</LastModified>"
                   f"<ETag>{escape(source.etag)}</ETag></CopyObjectResult>")

    def _create_multipart_upload(self, request):
        request.body()
        with self._lock:
            self.generation += 1
            upload = f"upload-{self.generation}"
        self.uploads[upload] = {"bucket": request.bucket, "key": request.key, "parts": {}, "headers": request.headers}
        return xml(f"<InitiateMultipartUploadResult {NAMESPACE}><Bucket>{request.bucket}</Bucket>"
                   f"<Key>{escape_key(request.key)}</Key><UploadId>{upload}</UploadId></InitiateMultipartUploadResult>")

    def _upload_part(self, request):
        number = int(request.query["partNumber"])
        if self.discards:
            length = request.discard()
            self.part_lengths[number] = length
            return Reply(headers={"ETag": f'"{number:032x}"'})
        body = request.body()
        upload = self.uploads.get(request.query["uploadId"])
        if upload is None:
            return error(404, "NoSuchUpload", "The specified upload does not exist.")
        upload["parts"][number] = body
        return Reply(headers={"ETag": f'"{hashlib.md5(body).hexdigest()}"'})

    def _upload_part_copy(self, request):
        source, upload = self._source(request), self.uploads.get(request.query["uploadId"])
        if source is None:
            return error(404, "NoSuchKey", "The specified key does not exist.")
        if upload is None:
            return error(404, "NoSuchUpload", "The specified upload does not exist.")
        body = source.body
        if span := request.headers.get("x-amz-copy-source-range"):
            first, last = map(int, span.removeprefix("bytes=").split("-"))
            body = body[first : last + 1]
        upload["parts"][int(request.query["partNumber"])] = body
        return xml(f"<CopyPartResult {NAMESPACE}><LastModified>{ISO_DATE}</LastModified>"
                   f"<ETag>\"{hashlib.md5(body).hexdigest()}\"</ETag></CopyPartResult>")

    def _complete_multipart_upload(self, request):
        request.body()
        upload = self.uploads.pop(request.query["uploadId"], None)
        if upload is None:
            return error(404, "NoSuchUpload", "The specified upload does not exist.")
        body = b"".join(part for _, part in sorted(upload["parts"].items()))
        etag = f"{hashlib.md5(body).hexdigest()}-{len(upload['parts'])}"
        self.put((request.bucket, request.key), body, etag=etag)
        return xml(f"<CompleteMultipartUploadResult {NAMESPACE}><Bucket>{request.bucket}</Bucket>"
                   f"<Key>{escape_key(request.key)}</Key><ETag>\"{etag}\"</ETag></CompleteMultipartUploadResult>")

    def _abort_multipart_upload(self, request):
        if self.uploads.pop(request.query["uploadId"], None) is None:
            return error(404, "NoSuchUpload", "The specified upload does not exist.")
        self.aborted.append(request.query["uploadId"])
        return Reply(204)

    def _list_parts(self, request):
        return xml(f"<ListPartsResult {NAMESPACE}><IsTruncated>false</IsTruncated></ListPartsResult>")

    def _delete_object(self, request):
        self.deleted.append(request.key)
        self.objects.pop((request.bucket, request.key), None)
        return Reply(204)

    def _delete_objects(self, request):
        import xml.etree.ElementTree as tree

        keys = [e.text or "" for e in tree.fromstring(request.body()).iter() if e.tag.endswith("Key")]
        for key in keys:
            self.deleted.append(key)
            self.objects.pop((request.bucket, key), None)
        items = "".join(f"<Deleted><Key>{escape_key(k)}</Key></Deleted>" for k in keys)
        return xml(f"<DeleteResult {NAMESPACE}>{items}</DeleteResult>")

    def _get_object_tagging(self, request):
        return xml(f"<Tagging {NAMESPACE}><TagSet></TagSet></Tagging>")


# -- pieces a script puts answers together from ----------------------------------------------------------------------


def _pieces(body, size):
    return [body[i : i + size] for i in range(0, len(body), size)]


def escape_key(key):
    """A key as XML text, control characters as character references (which XML 1.0 forbids, and stores send)."""
    return re.sub("[\x00-\x1f]", lambda m: f"&#x{ord(m[0]):x};", escape(key))


def xml(text, status=200, **headers):
    return Reply(status, b'<?xml version="1.0" encoding="UTF-8"?>\n' + text.encode(), headers)


def error(status, code, message="scripted", **headers):
    return xml(f"<Error><Code>{code}</Code><Message>{message}</Message><RequestId>STUBREQ</RequestId></Error>", status, **headers)


def ranged(request, body, headers):
    """A GET or HEAD answer that honours the Range header."""
    span = request.headers.get("range")
    if not span:
        return Reply(200, body, headers)
    first, _, last = span.removeprefix("bytes=").partition("-")
    if not first:
        first, last = max(len(body) - int(last), 0), len(body) - 1
    else:
        first, last = int(first), min(int(last or len(body) - 1), len(body) - 1)
    if first >= len(body):
        return error(416, "InvalidRange", "The requested range is not satisfiable", **{"Content-Range": f"bytes */{len(body)}"})
    return Reply(206, body[first : last + 1], {**headers, "Content-Range": f"bytes {first}-{last}/{len(body)}"})


def list_page(request, keys, prefixes, objects, token=None, truncated=None):
    """A ListObjectsV2 page; `truncated` without a `token` is what some stores get wrong."""
    encoded = request.query.get("encoding-type") == "url"
    name = (lambda k: urllib.parse.quote(k, safe=SAFE)) if encoded else escape_key
    items = []
    for key in keys:
        found = objects.get((request.bucket, key)) or StoredObject(b"", '"d41d8cd98f00b204e9800998ecf8427e"')
        items.append(f"<Contents><Key>{name(key)}</Key><LastModified>{ISO_DATE}</LastModified><ETag>{escape(found.etag)}</ETag>"
                     f"<Size>{len(found.body)}</Size><StorageClass>STANDARD</StorageClass></Contents>")
    items += [f"<CommonPrefixes><Prefix>{name(p)}</Prefix></CommonPrefixes>" for p in prefixes]
    truncated = token is not None if truncated is None else truncated
    return xml(
        f"<ListBucketResult {NAMESPACE}><Name>{request.bucket}</Name><Prefix>{name(request.query.get('prefix', ''))}</Prefix>"
        f"<KeyCount>{len(keys) + len(prefixes)}</KeyCount><MaxKeys>1000</MaxKeys>"
        f"<IsTruncated>{'true' if truncated else 'false'}</IsTruncated>"
        + ("<EncodingType>url</EncodingType>" if encoded else "")
        + (f"<NextContinuationToken>{escape_key(token)}</NextContinuationToken>" if token is not None else "")
        + "".join(items)
        + "</ListBucketResult>"
    )


def crc32(body):
    """The CRC32 as S3 writes it."""
    import base64

    return base64.b64encode(struct.pack(">I", zlib.crc32(body))).decode()
