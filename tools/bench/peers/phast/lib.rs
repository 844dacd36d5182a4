// SPDX-License-Identifier: Apache-2.0
//! PHast+ of ph (github.com/beling/bsuccinct-rs), with S = 10 bits a seed and wrapping shifts by at
//! most 2. Texts are hashed by GxHash in one call (the hasher that the crate would stream them
//! through takes 2.6 times as long), numbers by Fx; and, to tell the function from its hash,
//! numbers by Crivo's hash too.

#[path = "../peer.rs"]
mod peer;

use dyn_size_of::GetSize;
use peer::{Function, Method, Pair};
use ph::phast::*;
use ph::seeds::BitsFast;
use seedable_hash::BuildSeededHasher;
use std::hash::{Hash, Hasher};

/// Hashers that take a key in one call.
macro_rules! hasher {
    ($name:ident, $state:ident, |$at:ident, $bytes:ident| $text:expr, |$with:ident, $x:ident| $number:expr) => {
        #[derive(Default, Clone, Copy)]
        struct $name;
        struct $state(u64);
        impl Hasher for $state {
            #[inline(always)]
            fn write(&mut self, $bytes: &[u8]) {
                let $at = self.0;
                self.0 = $text;
            }
            #[inline(always)]
            fn write_u64(&mut self, $x: u64) {
                let $with = self.0;
                self.0 = $number;
            }
            #[inline(always)]
            fn finish(&self) -> u64 {
                self.0
            }
        }
        impl BuildSeededHasher for $name {
            type Hasher = $state;
            #[inline(always)]
            fn build_hasher(&self, seed: u64) -> $state {
                $state(seed)
            }
        }
    };
}
hasher!(
    Quick,
    QuickState,
    |seed, bytes| gxhash::gxhash64(bytes, seed as i64),
    |seed, x| (seed.rotate_left(5) ^ x).wrapping_mul(0x517cc1b727220a95)
);
hasher!(
    Crivos,
    CrivosState,
    |seed, bytes| gxhash::gxhash64(bytes, seed as i64),
    |seed, x| crivos_first_half(x, seed)
);

/// formats/crivo-1.md, "Key hashes".
#[inline(always)]
fn crivos_first_half(number: u64, seed: u64) -> u64 {
    const SECRET: u64 = 0x1cad21f72c81017c ^ 0xdb979083e96dd4de;
    const FACTOR: u64 = 0x9fb21c651e98df25;
    let seed = seed ^ (((seed as u32).swap_bytes() as u64) << 32);
    let mut x = number.rotate_left(32) ^ SECRET.wrapping_sub(seed);
    x ^= x.rotate_left(49) ^ x.rotate_left(24);
    x = x.wrapping_mul(FACTOR);
    x ^= (x >> 35) + 8;
    x = x.wrapping_mul(FACTOR);
    x ^ (x >> 28)
}

const SHIFTS: u8 = 2;
type Phast<S> = Function2<GenericCore, BitsFast, ShiftWrappedCore<SHIFTS>, DefaultCompressedArray, S>;

impl<K: Hash + Clone + Send + Sync, S: BuildSeededHasher + Default + Clone + Copy + Send + Sync> Function<K> for Phast<S> {
    fn build(keys: &[K], threads: usize) -> Option<Self> {
        const BITS: u8 = 10;
        let conf = Conf::generic_with_hash(BitsFast(BITS), bits_per_seed_to_100_bucket_size(BITS), S::default());
        let choice = ShiftOnlyWrapped::<SHIFTS>;
        Some(Self::with_slice_conf_threads_sc(keys, conf, threads, choice))
    }
    fn bits(&self) -> usize {
        8 * self.size_bytes()
    }
    #[inline(always)]
    fn rank(&self, key: &K) -> u64 {
        self.get(key) as u64
    }
}

static METHODS: [Method; 2] = [
    Pair::<Phast<Quick>, Phast<Quick>>::method(c"PHast+ S=10"),
    Pair::<Phast<Crivos>, Phast<Crivos>>::method(c"PHast+ S=10, Crivo's number hash"),
];

#[no_mangle]
pub extern "C" fn crivo_bench_methods(count: *mut usize) -> *const Method {
    unsafe { *count = METHODS.len() };
    METHODS.as_ptr()
}
