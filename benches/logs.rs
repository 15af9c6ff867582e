//! Ids a second that are counted in a block log, from memory: logs drawn at random, and the
//! one that `WATTLINE_LOG` names.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use wattline::blocks::log::count_ids;

/// More blocks than a recorded program has.
const BLOCKS_MAX: usize = 1 << 20;

/// Ids of a program with so many blocks; few of them run often, as in real logs.
fn log(ids: usize, blocks: u64) -> Vec<u8> {
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let mut bytes = Vec::with_capacity(ids * 2);
    for _ in 0..ids {
        let share: f64 = random.random();
        let mut id = (share * share * share * blocks as f64) as u64;
        while id >= 0x80 {
            bytes.push(id as u8 | 0x80);
            id >>= 7;
        }
        bytes.push(id as u8);
    }
    bytes
}

fn logs(criterion: &mut Criterion) {
    const IDS: usize = 50_000_000;
    let mut group = criterion.benchmark_group("logs");
    group.throughput(Throughput::Elements(IDS as u64)).sample_size(10);
    for blocks in [100u64, 5000, 60_000] {
        let bytes = log(IDS, blocks);
        group.bench_function(format!("{blocks} blocks"), |bench| {
            bench.iter(|| black_box(count_ids(black_box(&bytes), blocks as usize)));
        });
    }
    if let Some(path) = std::env::var_os("WATTLINE_LOG") {
        let bytes = std::fs::read(&path).expect("WATTLINE_LOG names a log");
        let counts = count_ids(&bytes, BLOCKS_MAX).expect("a log of block ids");
        let blocks = counts.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        group.throughput(Throughput::Elements(counts.iter().sum()));
        group.bench_function(format!("recorded, {blocks} blocks"), |bench| {
            bench.iter(|| black_box(count_ids(black_box(&bytes), blocks)));
        });
    }
    group.finish();
}

criterion_group!(benches, logs);
criterion_main!(benches);
