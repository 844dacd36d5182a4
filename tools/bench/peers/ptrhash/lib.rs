// SPDX-License-Identifier: Apache-2.0
//! PtrHash (github.com/RagnarGrootKoerkamp/PtrHash), its default and its compact variant. Numbers are
//! hashed by its FastIntHash (Fx), texts by GxHash in one call.

#[path = "../peer.rs"]
mod peer;

use peer::{Function, Key, Method, Pair};
use ptr_hash::hash::{FastIntHash, KeyHasher};
use ptr_hash::{bucket_fn, pack, PtrHash, PtrHashParams};

#[derive(Clone)]
struct Gx;
impl KeyHasher<Key> for Gx {
    type H = u64;
    #[inline(always)]
    fn hash(key: &Key, seed: u64) -> u64 {
        gxhash::gxhash64(key.bytes(), seed as i64)
    }
}

/// How many keys ahead a stream of lookups prefetches, as PtrHash's own example does.
const AHEAD: usize = 32;

macro_rules! variant {
    ($name:ident, $key:ty, $function:ty, $params:expr) => {
        struct $name($function);
        impl Function<$key> for $name {
            const BATCH: bool = true;
            fn build(keys: &[$key], threads: usize) -> Option<Self> {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?;
                pool.install(|| <$function>::try_new(keys, $params)).map($name)
            }
            fn bits(&self) -> usize {
                let (pilots, remap) = self.0.bits_per_element();
                ((pilots + remap) * self.0.n() as f64) as usize
            }
            #[inline(always)]
            fn rank(&self, key: &$key) -> u64 {
                self.0.index(key) as u64
            }
            #[inline(always)]
            fn ranks(&self, keys: &[$key], ranks: &mut [u64]) {
                let mut next = 0;
                self.0.index_stream::<AHEAD, _>(keys).for_each(|found| {
                    ranks[next] = found as u64;
                    next += 1;
                });
            }
        }
    };
}
type Default<H, K> = PtrHash<K, bucket_fn::Linear, Vec<u32>, H, Vec<u8>, true, true>;
type Compact<H, K> = PtrHash<K, bucket_fn::CubicEps, pack::EliasFano, H, Vec<u8>, false, true>;
variant!(DefaultOfNumbers, u64, Default<FastIntHash, u64>, PtrHashParams::default());
variant!(DefaultOfTexts, Key, Default<Gx, Key>, PtrHashParams::default());
variant!(CompactOfNumbers, u64, Compact<FastIntHash, u64>, PtrHashParams::default_compact());
variant!(CompactOfTexts, Key, Compact<Gx, Key>, PtrHashParams::default_compact());

static METHODS: [Method; 2] = [
    Pair::<DefaultOfNumbers, DefaultOfTexts>::method(c"PtrHash default"),
    Pair::<CompactOfNumbers, CompactOfTexts>::method(c"PtrHash compact"),
];

#[no_mangle]
pub extern "C" fn crivo_bench_methods(count: *mut usize) -> *const Method {
    unsafe { *count = METHODS.len() };
    METHODS.as_ptr()
}
