// SPDX-License-Identifier: Apache-2.0
//! The calls of tools/bench/peer.h for a function written in Rust: a trait that it implements, and
//! `method()`, which makes a row of the table of it. Both crates beside this file include it.

use std::ffi::{c_char, c_uint, c_void};
use std::hash::{Hash, Hasher};

/// A key's bytes. It hashes as they do, in one call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Key {
    data: *const u8,
    size: usize,
}

unsafe impl Send for Key {}
unsafe impl Sync for Key {}

impl Key {
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }
}

impl Hash for Key {
    #[inline(always)]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write(self.bytes())
    }
}

#[repr(C)]
pub struct Keys {
    count: usize,
    keys: *const Key,
    numbers: *const u64,
    values: *const u64,
    value_bits: c_uint,
    fpr: f64,
}

#[repr(C)]
pub struct Method {
    name: *const c_char,
    build: extern "C" fn(*const Keys, c_uint, *mut *const c_char) -> *mut c_void,
    destroy: extern "C" fn(*mut c_void),
    bits: extern "C" fn(*const c_void) -> u64,
    lookup: extern "C" fn(*const c_void, *const Keys, *mut u64),
    lookup_dependent: extern "C" fn(*const c_void, *const Keys, *mut u64),
    lookup_batch: Option<extern "C" fn(*const c_void, *const Keys, *mut u64)>,
}
unsafe impl Sync for Method {}

/// A minimal perfect hash function over keys of type K.
pub trait Function<K>: Sized {
    const BATCH: bool = false;
    fn build(keys: &[K], threads: usize) -> Option<Self>;
    fn bits(&self) -> usize;
    fn rank(&self, key: &K) -> u64;
    fn ranks(&self, _keys: &[K], _ranks: &mut [u64]) {}
}

/// What numbers and texts are looked up by: a row has a function for each.
pub struct Pair<N, T>(std::marker::PhantomData<(N, T)>);

enum Built<N, T> {
    Numbers(N),
    Texts(T),
}

/// The value, of which the compiler cannot know anything.
#[inline(always)]
fn opaque(mut value: u64) -> u64 {
    unsafe { std::arch::asm!("/* {0} */", inout(reg) value, options(nomem, nostack, preserves_flags)) };
    value
}

impl Keys {
    fn texts(&self) -> &[Key] {
        unsafe { std::slice::from_raw_parts(self.keys, self.count) }
    }
    fn numbers(&self) -> &[u64] {
        unsafe { std::slice::from_raw_parts(self.numbers, self.count) }
    }
}

#[inline(always)]
fn one<K, F: Function<K>>(function: &F, keys: &[K], ranks: &mut [u64]) {
    for (key, rank) in keys.iter().zip(ranks) {
        *rank = function.rank(key);
    }
}

#[inline(always)]
fn dependent<K, F: Function<K>>(function: &F, keys: &[K], ranks: &mut [u64]) {
    let mut i = 0;
    while i < keys.len() {
        let rank = opaque(function.rank(&keys[i]));
        ranks[i] = rank;
        i += 1 + (rank >> 63) as usize;
    }
}

impl<N: Function<u64>, T: Function<Key>> Pair<N, T> {
    extern "C" fn build(keys: *const Keys, threads: c_uint, why: *mut *const c_char) -> *mut c_void {
        let keys = unsafe { &*keys };
        let built = if keys.numbers.is_null() {
            T::build(keys.texts(), threads as usize).map(Built::Texts)
        } else {
            N::build(keys.numbers(), threads as usize).map(Built::Numbers)
        };
        match built {
            Some(built) => Box::into_raw(Box::new(built as Built<N, T>)) as *mut c_void,
            None => {
                unsafe { *why = c"no function was found".as_ptr() };
                std::ptr::null_mut()
            }
        }
    }
    extern "C" fn destroy(built: *mut c_void) {
        drop(unsafe { Box::from_raw(built as *mut Built<N, T>) });
    }
    extern "C" fn bits(built: *const c_void) -> u64 {
        (match unsafe { &*(built as *const Built<N, T>) } {
            Built::Numbers(function) => function.bits(),
            Built::Texts(function) => function.bits(),
        }) as u64
    }
    extern "C" fn lookup(built: *const c_void, keys: *const Keys, ranks: *mut u64) {
        let keys = unsafe { &*keys };
        let ranks = unsafe { std::slice::from_raw_parts_mut(ranks, keys.count) };
        match unsafe { &*(built as *const Built<N, T>) } {
            Built::Numbers(function) => one(function, keys.numbers(), ranks),
            Built::Texts(function) => one(function, keys.texts(), ranks),
        }
    }
    extern "C" fn lookup_dependent(built: *const c_void, keys: *const Keys, ranks: *mut u64) {
        let keys = unsafe { &*keys };
        let ranks = unsafe { std::slice::from_raw_parts_mut(ranks, keys.count) };
        match unsafe { &*(built as *const Built<N, T>) } {
            Built::Numbers(function) => dependent(function, keys.numbers(), ranks),
            Built::Texts(function) => dependent(function, keys.texts(), ranks),
        }
    }
    extern "C" fn lookup_batch(built: *const c_void, keys: *const Keys, ranks: *mut u64) {
        let keys = unsafe { &*keys };
        let ranks = unsafe { std::slice::from_raw_parts_mut(ranks, keys.count) };
        match unsafe { &*(built as *const Built<N, T>) } {
            Built::Numbers(function) => function.ranks(keys.numbers(), ranks),
            Built::Texts(function) => function.ranks(keys.texts(), ranks),
        }
    }

    /// The row.
    pub const fn method(name: &'static std::ffi::CStr) -> Method {
        Method {
            name: name.as_ptr(),
            build: Self::build,
            destroy: Self::destroy,
            bits: Self::bits,
            lookup: Self::lookup,
            lookup_dependent: Self::lookup_dependent,
            lookup_batch: if N::BATCH { Some(Self::lookup_batch) } else { None },
        }
    }
}
