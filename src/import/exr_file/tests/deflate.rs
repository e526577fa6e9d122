//! A zlib stream that no usual tool writes and every inflater must read.

use super::super::packing::inflate;

/// Bits, the lowest of a byte first.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn number(&mut self, number: usize, bits: usize) {
        self.0.extend((0..bits).map(|bit| number >> bit & 1 == 1));
    }

    /// Huffman codes begin with their highest bit.
    fn code(&mut self, lengths: &[usize], symbol: usize) {
        let (mut code, mut found) = (0, 0);
        for length in 1..=lengths[symbol] {
            code <<= 1;
            for (other, _) in lengths.iter().enumerate().filter(|&(_, &other)| other == length) {
                if other == symbol {
                    found = code;
                }
                code += 1;
            }
        }
        self.0.extend((0..lengths[symbol]).rev().map(|bit| found >> bit & 1 == 1));
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| (0..).zip(bits).map(|(bit, &set)| u8::from(set) << bit).sum();
        self.0.chunks(8).map(byte).collect()
    }
}

/// Every code of 1 to 15 bits is used once, so that the rare symbols have the longest.
fn lengths(symbols: usize, by_length: &[usize]) -> Vec<usize> {
    let mut lengths = vec![0; symbols];
    by_length.iter().enumerate().for_each(|(index, &symbol)| lengths[symbol] = 15.min(index + 1));
    lengths
}

#[test]
fn literals_lengths_and_distances_of_the_longest_codes_are_inflated() {
    // A literal of 11 bits, a length of 15 and 5, and a distance of 15 and 13, again and again: more than fit into 56 bits.
    let literals = lengths(286, &[0, 285, 1, 2, 3, 4, 5, 6, 7, 8, 65, 9, 10, 11, 284, 256]);
    let distances = lengths(30, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 28, 29]);
    let mut bits = Bits::default();
    for (number, count) in [(1, 1), (2, 2), (286 - 257, 5), (30 - 1, 5), (15, 4)] {
        bits.number(number, count);
    }
    // Sixteen code lengths of 4 bits each, which come after 16, 17 and 18.
    (0..19).for_each(|index| bits.number(if index < 3 { 0 } else { 4 }, 3));
    literals.iter().chain(&distances).for_each(|&length| bits.code(&[4; 16], length));
    let mut plain = vec![0u8];
    bits.code(&literals, 0);
    while plain.len() < 24577 + 8192 {
        bits.code(&literals, 285);
        bits.code(&distances, 0);
        plain.extend([0; 258]);
    }
    for turn in 0..60 {
        let (longer, farther) = (turn % 31, turn * 137 % 8192);
        bits.code(&literals, 65);
        plain.push(65);
        bits.code(&literals, 284);
        bits.number(longer, 5);
        bits.code(&distances, 29);
        bits.number(farther, 13);
        (0..227 + longer).for_each(|_| plain.push(plain[plain.len() - 24577 - farther]));
    }
    bits.code(&literals, 256);
    let (mut low, mut high) = (1u32, 0u32);
    for &byte in &plain {
        low = (low + u32::from(byte)) % 65521;
        high = (high + low) % 65521;
    }
    let packed = [&[0x78, 1][..], &bits.bytes(), &(high << 16 | low).to_be_bytes()].concat();
    assert!(inflate(&packed, plain.len()) == Some(plain.clone()));
    // Neither more nor less than what is wanted, and only with its checksum.
    assert!(inflate(&packed, plain.len() - 1).is_none() && inflate(&packed, plain.len() + 1).is_none());
    assert!(inflate(&packed[..packed.len() - 1], plain.len()).is_none());
}
