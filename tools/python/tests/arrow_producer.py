# SPDX-License-Identifier: Apache-2.0
"""A producer of Arrow's C data interface in ctypes: columns of texts, bytes of one width, and numbers, in one chunk or some."""

import ctypes


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
LAST_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))
Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p), ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]  # fmt: skip
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p), ("release", RELEASE_ARRAY), ("private_data", ctypes.c_void_p),
]  # fmt: skip
Stream._fields_ = [
    ("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("get_last_error", LAST_ERROR), ("release", RELEASE_STREAM),
    ("private_data", ctypes.c_void_p),
]  # fmt: skip

DESTROY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]

#: What the consumer still holds, by the address of its structure: it is overwritten when that is released.
HELD = {}


@RELEASE_SCHEMA
def release_schema(schema):
    HELD.pop(schema.contents.private_data)
    schema.contents.release = RELEASE_SCHEMA()


@RELEASE_ARRAY
def release_array(array):
    for buffer in HELD.pop(array.contents.private_data)[1:]:
        ctypes.memset(buffer, 0xAA, len(buffer))  # who reads it further finds other keys
    array.contents.release = RELEASE_ARRAY()


@RELEASE_STREAM
def release_stream(stream):
    HELD.pop(stream.contents.private_data)
    stream.contents.release = RELEASE_STREAM()


def keep(things):
    HELD[id(things)] = things
    return id(things)


def destroyer(kind, name):
    @DESTROY
    def destroy(capsule):
        one = ctypes.cast(pointer_of(capsule, name), ctypes.POINTER(kind))
        if one.contents.release:
            one.contents.release(one)

    return destroy


DESTROYERS = {kind: destroyer(kind, name) for kind, name in ((Schema, b"arrow_schema"), (Array, b"arrow_array"), (Stream, b"arrow_array_stream"))}
NAMES = {Schema: b"arrow_schema", Array: b"arrow_array", Stream: b"arrow_array_stream"}
ALIVE = []  # structures of capsules, as long as the process


def capsule(one):
    ALIVE.append(one)
    return new_capsule(ctypes.addressof(one), NAMES[type(one)], ctypes.cast(DESTROYERS[type(one)], ctypes.c_void_p))


class Column:
    """Of `letters`, Arrow's format, with the buffers of each chunk: (validity or None, buffer...), its length and its offset."""

    def __init__(self, letters, *chunks, dictionary=0):
        self.letters, self.chunks, self.dictionary = letters.encode(), chunks, dictionary

    def fill_schema(self, schema):
        things = [self.letters]
        schema.format, schema.name, schema.flags = self.letters, b"", 2
        schema.dictionary = self.dictionary
        schema.release, schema.private_data = release_schema, keep(things)

    @staticmethod
    def fill_array(array, chunk):
        validity, buffers, length, offset = chunk
        made = [ctypes.create_string_buffer(bytes(each), max(len(each), 1)) for each in ([validity] if validity is not None else []) + list(buffers)]
        places = [ctypes.addressof(each) for each in made]
        pointers = (ctypes.c_void_p * (1 + len(buffers)))(*(places if validity is not None else [None, *places]))
        array.length, array.offset, array.n_buffers = length, offset, len(pointers)
        array.null_count = 0 if validity is None else -1
        array.buffers = ctypes.cast(pointers, ctypes.POINTER(ctypes.c_void_p))
        array.release, array.private_data = release_array, keep([pointers, *made])

    def array(self):
        schema, array = Schema(), Array()
        self.fill_schema(schema)
        self.fill_array(array, self.chunks[0])
        return capsule(schema), capsule(array)

    def stream(self):
        rest = list(self.chunks)

        @GET_SCHEMA
        def get_schema(_stream, schema):
            self.fill_schema(schema.contents)
            return 0

        @GET_NEXT
        def get_next(_stream, array):
            if rest and rest[0] == "fails":
                return 5
            if rest:
                self.fill_array(array.contents, rest.pop(0))
            else:
                array.contents.release = RELEASE_ARRAY()
            return 0

        message = ctypes.create_string_buffer(b"the disk is gone")

        @LAST_ERROR
        def last_error(_stream):
            return ctypes.addressof(message)

        stream = Stream(get_schema, get_next, last_error, release_stream, keep([get_schema, get_next, last_error, message]))
        return capsule(stream)


class OneArray(Column):
    def __arrow_c_array__(self, requested_schema=None):
        return self.array()


class ManyArrays(Column):
    def __arrow_c_stream__(self, requested_schema=None):
        return self.stream()
