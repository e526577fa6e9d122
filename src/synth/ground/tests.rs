//! What made textures promise, on small ones: the canvas is 1024 texels a side for every size up to 512.

use super::finish::{SrgbEncoder, linear, luminance};
use super::*;
use crate::synth::noise::{Noise, Random};
use std::sync::OnceLock;

const SIZE: u32 = 256;

fn make_texture(threads: usize, kind: GroundKind, size: u32, seed: u64) -> GroundTexture {
    make_on(threads, kind, size, seed, &mut |_| ControlFlow::Continue(()))
        .expect("the size is allowed")
        .expect("nothing stopped it")
}

/// One texture of each kind, which several tests look at.
fn textures() -> &'static [(GroundKind, GroundTexture)] {
    static TEXTURES: OnceLock<Vec<(GroundKind, GroundTexture)>> = OnceLock::new();
    TEXTURES.get_or_init(|| GroundKind::ALL.map(|kind| (kind, make_texture(2, kind, SIZE, 7))).into())
}

fn albedo(texture: &GroundTexture) -> Vec<[f32; 3]> {
    let value = |byte: u8| linear(f32::from(byte) / 255.0);
    texture.albedo.chunks_exact(4).map(|t| [value(t[0]), value(t[1]), value(t[2])]).collect()
}

/// The mean of one channel.
fn mean(bytes: &[u8], channel: usize) -> f32 {
    let sum: f64 = bytes.iter().skip(channel).step_by(4).map(|&b| f64::from(b)).sum();
    (sum / (bytes.len() / 4) as f64) as f32
}

#[test]
fn a_seed_gives_the_same_bits_whatever_the_threads() {
    for kind in [GroundKind::Grass, GroundKind::Rock, GroundKind::Riverbed] {
        assert!(make_texture(1, kind, 64, 3) == make_texture(5, kind, 64, 3), "{}", kind.name());
    }
}

#[test]
fn bits_are_those_of_every_machine() {
    // FNV-1a of all bytes; another sum here is another picture everywhere, which is fine when it is meant.
    let sums = [GroundKind::Snow, GroundKind::Scree].map(|kind| {
        let texture = make_texture(2, kind, 64, 7);
        let bytes = [texture.albedo, texture.surface, texture.normal].concat();
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    });
    assert_eq!(sums, [0xf9d4_8598_8fa2_b99d, 0xf6f4_5bfc_0d54_440b]);
}

#[test]
fn seeds_differ() {
    let (a, b) = (make_texture(2, GroundKind::Scree, 64, 1), make_texture(2, GroundKind::Scree, 64, 2));
    let apart = a.albedo.iter().zip(&b.albedo).filter(|(a, b)| a.abs_diff(**b) > 4).count();
    assert!(apart > a.albedo.len() / 4, "only {apart} bytes of {} differ", a.albedo.len());
}

#[test]
fn borders_meet_without_a_seam() {
    let n = SIZE as usize;
    for (kind, texture) in textures() {
        for (what, bytes) in
            [("albedo", &texture.albedo), ("surface", &texture.surface), ("normal", &texture.normal)]
        {
            // The mean step from a line to the next, lines being columns and rows.
            let step = |line: usize, down: bool| {
                let at = |line: usize, i: usize, channel: usize| {
                    let (x, y) = if down { (i, line % n) } else { (line % n, i) };
                    bytes[(y * n + x) * 4 + channel]
                };
                let steps = (0..n * 3).map(|i| at(line, i / 3, i % 3).abs_diff(at(line + 1, i / 3, i % 3)));
                steps.map(u32::from).sum::<u32>()
            };
            for down in [false, true] {
                let largest = (0..n - 1).map(|line| step(line, down)).max().unwrap_or(0);
                let seam = step(n - 1, down);
                assert!(seam <= largest, "{} {what}: {seam} at the border, {largest} inside", kind.name());
            }
        }
    }
}

#[test]
fn albedo_is_as_bright_as_the_ground_and_even_from_afar() {
    for (kind, texture) in textures() {
        let range = match kind {
            GroundKind::Grass => 0.05..0.09,
            GroundKind::Meadow => 0.09..0.12,
            GroundKind::Soil => 0.09..0.13,
            GroundKind::Scree | GroundKind::Rock => 0.15..0.25,
            GroundKind::Snow => 0.75..0.85,
            GroundKind::Riverbed => 0.15..0.2,
        };
        let albedo = albedo(texture);
        let mut squares = [0.0f32; 64];
        let (n, side) = (SIZE as usize, SIZE as usize / 8);
        for (i, colour) in albedo.iter().enumerate() {
            squares[i / n / side * 8 + i % n / side] += luminance(*colour) / (side * side) as f32;
        }
        let whole = squares.iter().sum::<f32>() / 64.0;
        assert!(range.contains(&whole), "{} has a mean luminance of {whole}", kind.name());
        let far = squares.iter().fold(0.0f32, |far, square| far.max((square / whole - 1.0).abs()));
        assert!(far < 0.04, "a square of {} is {far} off the mean", kind.name());
    }
}

#[test]
fn plants_are_green_and_stones_grey() {
    for (kind, texture) in textures() {
        let [r, g, b] =
            albedo(texture).iter().fold([0.0; 3], |s: [f32; 3], c| [s[0] + c[0], s[1] + c[1], s[2] + c[2]]);
        match kind {
            GroundKind::Grass | GroundKind::Meadow => assert!(g > r && r > b, "{}", kind.name()),
            GroundKind::Soil => assert!(r > g && g > b),
            _ => assert!(r / b < 1.35 && b / r < 1.1, "{} is {r} to {b}", kind.name()),
        }
    }
}

#[test]
fn surfaces_use_their_range_and_normals_are_upright() {
    for (kind, texture) in textures() {
        let name = kind.name();
        let heights = texture.surface.iter().skip(3).step_by(4);
        assert_eq!(
            [heights.clone().min(), heights.max()].map(|h| h.copied()),
            [Some(0), Some(255)],
            "{name}"
        );
        assert!((mean(&texture.surface, 3) - 127.5).abs() < 2.0, "{name}");
        assert_eq!(mean(&texture.surface, 2), 0.0, "{name}");
        assert!(mean(&texture.surface, 0) > 100.0, "{name} is dark with occlusion");
        for (channel, upright) in [(0, 127.5), (1, 127.5)] {
            assert!(
                (mean(&texture.normal, channel) - upright).abs() < 0.6,
                "{name} leans in channel {channel}"
            );
        }
        for normal in texture.normal.chunks_exact(4) {
            let [x, y, z] = [0, 1, 2].map(|i| (f32::from(normal[i]) - 127.5) / 127.5);
            assert!(((x * x + y * y + z * z).sqrt() - 1.0).abs() < 0.02 && z > 0.0, "{name} has {normal:?}");
        }
        assert!(
            [&texture.albedo, &texture.normal].iter().all(|t| t.iter().skip(3).step_by(4).all(|&a| a == 255))
        );
    }
}

#[test]
fn a_slope_to_the_right_leans_left() {
    // A ridge that rises to the right over three quarters of the picture: most normals point left, and none up or down.
    let mut work_report = |_| ControlFlow::Continue(());
    let mut work = Work::new(1, &mut work_report);
    let canvas = Canvas::new(256, 1.0, &mut work, |u, _| canvas::Texel {
        height: 0.01 * (16.0 * u - (16.0 * u).floor()).min(0.75),
        albedo: [0.2; 3],
        roughness: 0.5,
    });
    let how = Finish { luminance: 0.2, cavity: 0.3, dirt: 0.0, steepest: 1.0, even: 1.0 };
    let canvas = canvas.unwrap_or_else(|_| panic!("nothing stopped it"));
    let texture =
        finish::finish(&canvas, 256, &how, &mut work).unwrap_or_else(|_| panic!("nothing stopped it"));
    let reds = texture.normal.iter().step_by(4);
    let left = reds.filter(|&&red| red < 127).count();
    assert!(left > 256 * 256 / 2, "only {left} of 65536 lean left");
    assert!(texture.normal.iter().skip(1).step_by(4).all(|&green| green.abs_diff(128) <= 1));
}

#[test]
fn sizes_are_the_same_picture() {
    let (large, small) =
        (make_texture(2, GroundKind::Riverbed, 512, 5), make_texture(2, GroundKind::Riverbed, 256, 5));
    let (large, small) = (albedo(&large), albedo(&small));
    let mut off = 0.0;
    for (i, small) in small.iter().enumerate() {
        let at = i / 256 * 2 * 512 + i % 256 * 2;
        let four = [at, at + 1, at + 512, at + 513].map(|at| luminance(large[at]));
        off += (four.iter().sum::<f32>() / 4.0 - luminance(*small)).abs();
    }
    assert!(off / 65536.0 < 0.004, "texels are {} apart on average", off / 65536.0);
}

#[test]
fn other_sizes_are_refused_and_say_what_would_do() {
    for size in [0, 32, 100, 4096] {
        let refused = ground_texture(GroundKind::Soil, size, 1, &mut |_| ControlFlow::Continue(()));
        let told = refused.expect_err("no power of two of 64 to 2048").to_string();
        assert!(told.contains(&size.to_string()) && told.contains("1024"), "{told}");
    }
}

#[test]
fn making_tells_of_itself_and_can_be_stopped() {
    let mut told = Vec::new();
    let made = make_on(2, GroundKind::Meadow, 64, 1, &mut |progress| {
        told.push(progress.fraction);
        ControlFlow::Continue(())
    });
    assert!(matches!(made, Ok(Some(_))));
    assert!(told.windows(2).all(|pair| pair[0] <= pair[1]), "{told:?}");
    assert!(told.len() > 8 && told.last() == Some(&1.0), "{told:?}");
    let mut calls = 0;
    let stopped = ground_texture(GroundKind::Meadow, 64, 1, &mut |_| {
        calls += 1;
        if calls < 4 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert!(matches!(stopped, Ok(None)));
    assert_eq!(calls, 4);
}

#[test]
fn noise_and_cells_meet_themselves_after_a_repeat() {
    let noise = Noise::new(1, 1);
    let mut random = Random::new(5);
    let lattices = [pattern::Lattice::turned(7, 3), pattern::Lattice::stretched(3, 41, 2)];
    for _ in 0..500 {
        let (u, v) = (random.unit(), random.unit());
        for lattice in lattices {
            let here = lattice.octaves(noise, u, v, 3, 0.5);
            for (du, dv) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 2.0)] {
                let there = lattice.octaves(noise, u + du, v + dv, 3, 0.5);
                assert!((here - there).abs() < 2e-3, "{here} at {u}, {v} and {there} a repeat on");
            }
        }
        let (here, there) =
            (pattern::cell(noise, [9, 5], 0.9, u, v), pattern::cell(noise, [9, 5], 0.9, u + 1.0, v - 1.0));
        assert!((here.edge - there.edge).abs() < 1e-4 && (here.id == there.id || here.edge < 1e-4));
    }
}

#[test]
fn srgb_is_the_standards() {
    let encode = SrgbEncoder::new();
    for byte in 0..=255u8 {
        let value = linear(f32::from(byte) / 255.0);
        assert_eq!(encode.byte(value), byte);
        let x = f64::from(byte) / 255.0;
        let known = if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
        assert!((f64::from(value) - known).abs() < 1e-6, "{byte} is {value}, not {known}");
    }
}
