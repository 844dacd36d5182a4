// SPDX-License-Identifier: Apache-2.0
//! clubcard-exact GROUPS [--ungrouped]: the clubcard (github.com/mozilla/clubcard) of the certificates that
//! crivo-bench-exact draws. GROUPS is what `crivo-bench-exact groups` writes. Prints its bytes, the CPU time of the
//! build, the wrong answers over the whole universe, and what lookups take. Clubcard's own queries are SHA-256 of the
//! certificate; here a key's 256 coefficients are mixed from its number, which is quicker.

use clubcard::builder::{ApproximateRibbon, ClubcardBuilder, ExactRibbon};
use clubcard::{AsQuery, Clubcard, Equation, Filterable, Queryable};
use std::time::Instant;

const W: usize = 4;

fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
    z ^ (z >> 31)
}

struct Group {
    name: Vec<u8>,
    keys: u64,
    low: u64,
    high: u64,
}

impl Group {
    /// As Certificates::is_revoked() has it.
    fn is_revoked(&self, group: usize, index: u64) -> bool {
        let draw = mix(mix((group as u64) << 40 | index) ^ 0x5851f42d4c957f2d);
        draw >= self.low && (draw < self.high || self.high == u64::MAX)
    }
}

/// Groups are never let go: builders keep keys of any age.
struct Key {
    group: &'static [u8],
    serial: [u8; 16],
    revoked: bool,
}

impl Key {
    fn new(groups: &'static [Group], group: usize, index: u64) -> Key {
        let number = (group as u64) << 40 | index;
        let mut serial = [0u8; 16];
        serial[..8].copy_from_slice(&mix(number).to_le_bytes());
        serial[8..].copy_from_slice(&mix(!number).to_le_bytes());
        Key { group: &groups[group].name, serial, revoked: groups[group].is_revoked(group, index) }
    }
}

impl AsQuery<W> for Key {
    fn as_query(&self, m: usize) -> Equation<W> {
        let high = u64::from_le_bytes(self.serial[..8].try_into().unwrap());
        let low = u64::from_le_bytes(self.serial[8..].try_into().unwrap());
        let mut a = [0u64; W];
        for (i, word) in a.iter_mut().enumerate() {
            *word = mix(high.wrapping_mul(3) ^ mix(low.wrapping_add(7 + i as u64)));
        }
        let s = (a[W - 1] as usize) % std::cmp::max(1, m);
        a[W - 1] = mix(a[W - 1]);
        a[0] |= 1;
        Equation::homogeneous(s, a)
    }
    fn block(&self) -> &[u8] {
        self.group
    }
    fn discriminant(&self) -> &[u8] {
        &self.serial
    }
}

impl Filterable<W> for Key {
    fn included(&self) -> bool {
        self.revoked
    }
}

impl Queryable<W> for Key {
    type UniverseMetadata = ();
    type PartitionMetadata = ();
    fn in_universe(&self, _: &()) -> bool {
        true
    }
}

fn read_groups(path: &str) -> &'static [Group] {
    let text = std::fs::read_to_string(path).expect("GROUPS cannot be read");
    let groups: Vec<Group> = text
        .lines()
        .map(|line| {
            let mut columns = line.split('\t');
            let name = columns.next().unwrap().as_bytes().to_vec();
            let mut number = || columns.next().unwrap().parse().unwrap();
            Group { name, keys: number(), low: number(), high: number() }
        })
        .collect();
    groups.leak()
}

fn build(groups: &'static [Group]) -> Clubcard<W, (), ()> {
    let mut builder = ClubcardBuilder::new();
    let mut approximate = vec![];
    for (g, group) in groups.iter().enumerate() {
        let mut block = builder.new_approx_builder(&group.name);
        for index in (0..group.keys).filter(|&index| group.is_revoked(g, index)) {
            block.insert(Key::new(groups, g, index));
        }
        block.set_universe_size(group.keys as usize);
        approximate.push(ApproximateRibbon::from(block));
    }
    builder.collect_approx_ribbons(approximate);
    let mut exact = vec![];
    for (g, group) in groups.iter().enumerate() {
        let mut block = builder.new_exact_builder(&group.name);
        for index in 0..group.keys {
            block.insert(Key::new(groups, g, index));
        }
        exact.push(ExactRibbon::from(block));
    }
    builder.collect_exact_ribbons(exact);
    builder.build::<Key>((), ())
}

/// Nanoseconds a lookup of keys of one sort, the least of 10 rounds.
fn time(card: &Clubcard<W, (), ()>, keys: &[Key]) -> f64 {
    (0..10)
        .map(|_| {
            let begin = Instant::now();
            let found = keys.iter().filter(|key| card.unchecked_contains(*key)).count();
            std::hint::black_box(found);
            begin.elapsed().as_nanos() as f64 / keys.len() as f64
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    let path = std::env::args().nth(1).expect("usage: clubcard-exact GROUPS");
    let groups = read_groups(&path);
    let begin = Instant::now();
    let card = build(groups);
    let seconds = begin.elapsed().as_secs_f64();
    println!("{card}");
    // What the solution takes, and 52 bytes a group: what clubcard-crlite's format 4 has of each.
    let words: usize = card.to_string().split_whitespace().nth(3).unwrap().parse().unwrap();
    println!("{} bytes with 52 of each group, built in {seconds:.1} s", words + 52 * groups.len());
    let (mut wrong, mut state) = (0u64, 1u64);
    let mut samples = [vec![], vec![]];
    for (g, group) in groups.iter().enumerate() {
        for index in 0..group.keys {
            let key = Key::new(groups, g, index);
            wrong += (card.unchecked_contains(&key) != key.revoked) as u64;
            let sort = key.revoked as usize;
            state = mix(state);
            if state % (if key.revoked { 11 } else { 780 }) == 0 && samples[sort].len() < 1 << 20 {
                samples[sort].push(key);
            }
        }
    }
    println!("{wrong} wrong answers");
    for sample in &mut samples {
        for i in (1..sample.len()).rev() {
            state = mix(state);
            sample.swap(i, state as usize % (i + 1));
        }
    }
    println!("lookup: others {:.1} ns, members {:.1} ns", time(&card, &samples[0]), time(&card, &samples[1]));
}
