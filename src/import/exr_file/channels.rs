//! The channels of a picture, and which of them is the map.

use super::super::ImportOptions;
use super::header::Part;

/// As many channels are named when none can be chosen.
const MOST_NAMED: usize = 20;
/// Names of a channel of heights, alone or as the last part of a name such as `terrain.height`.
const HEIGHT_NAMES: [&str; 4] = ["height", "elevation", "depth", "z"];
const STATE_ONE: &str = "(--channel, or ImportOptions::with_channel)";

/// The type of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleKind {
    /// Floating point, 16 bits.
    Half,
    /// Floating point, 32 bits.
    Float,
    /// Unsigned, 32 bits.
    Whole,
}

impl SampleKind {
    pub(super) fn bytes(self) -> usize {
        if self == SampleKind::Half { 2 } else { 4 }
    }
}

/// A channel as the header describes it.
pub(super) struct Channel {
    pub(super) name: String,
    pub(super) kind: SampleKind,
    /// The writer took its values for perceptually linear, which B44 packs in another way.
    pub(super) linear: bool,
    /// Columns and rows a sample.
    pub(super) sampling: (i32, i32),
}

/// The channel that is the map.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) part: usize,
    pub(super) channel: usize,
    /// Green and blue, where the channel is the red of a colour picture that nobody asked for.
    pub(super) colours: Vec<usize>,
    /// What a report says of a choice that was not stated.
    pub(super) assumption: Option<String>,
}

/// A channel of one of the parts.
struct Candidate<'a> {
    part: usize,
    channel: usize,
    name: &'a str,
    /// `part.channel`, where there are several parts.
    full_name: String,
}

/// Chooses the stated channel, or the one that is most likely the map. The error is a sentence that lists what there is.
pub(super) fn choose(parts: &[Part], options: &ImportOptions) -> Result<Chosen, String> {
    let candidates = candidates(parts);
    if candidates.is_empty() {
        return Err(
            "a picture of deep data, several samples a pixel, which is not read; save it flat".to_owned()
        );
    }
    if let Some(wanted) = &options.channel {
        let found = find(&candidates, wanted)?;
        return Ok(Chosen {
            part: found.part,
            channel: found.channel,
            colours: Vec::new(),
            assumption: None,
        });
    }
    let flat = || parts.iter().enumerate().filter(|(_, part)| !part.deep);
    let by_name = flat().find_map(|(index, part)| Some((index, likely(part)?, Vec::new())));
    let by_colour = || flat().find_map(|(index, part)| colours(part).map(|[r, g, b]| (index, r, vec![g, b])));
    let Some((part, channel, colours)) = by_name.or_else(by_colour) else {
        return Err(format!(
            "any of its channels may be the map; state one {STATE_ONE}; {}",
            list(&candidates)
        ));
    };
    let assumption = (candidates.len() > 1).then(|| {
        let found = candidates.iter().find(|found| (found.part, found.channel) == (part, channel));
        let name = found.map_or("", |found| &found.full_name);
        format!("channel `{name}` of {}; state another {STATE_ONE}", names(&candidates))
    });
    Ok(Chosen { part, channel, colours, assumption })
}

fn candidates(parts: &[Part]) -> Vec<Candidate<'_>> {
    let several = parts.len() > 1;
    let flat = parts.iter().enumerate().filter(|(_, part)| !part.deep);
    let channels = flat
        .flat_map(|(index, part)| part.channels.iter().enumerate().map(move |(n, c)| (index, part, n, c)));
    channels
        .map(|(part, Part { name: part_name, .. }, channel, Channel { name, .. })| Candidate {
            part,
            channel,
            name,
            full_name: if several { format!("{part_name}.{name}") } else { name.clone() },
        })
        .collect()
}

/// The channel with this name; where there is none, the only one whose name differs in upper and lower case.
fn find<'a>(candidates: &'a [Candidate<'a>], wanted: &str) -> Result<&'a Candidate<'a>, String> {
    let exact = candidates.iter().find(|found| found.name == wanted || found.full_name == wanted);
    if let Some(found) = exact {
        return Ok(found);
    }
    let alike = |name: &str| name.to_lowercase() == wanted.to_lowercase();
    let mut alike = candidates.iter().filter(|found| alike(found.name) || alike(&found.full_name));
    match (alike.next(), alike.next()) {
        (Some(found), None) => Ok(found),
        (Some(_), Some(_)) => Err(format!("several channels may be `{wanted}`; {}", list(candidates))),
        (None, _) => Err(format!("there is no channel `{wanted}`; {}", list(candidates))),
    }
}

/// A part's only channel, or the one that is named as heights are.
fn likely(part: &Part) -> Option<usize> {
    if part.channels.len() == 1 {
        return Some(0);
    }
    let names = || part.channels.iter().map(|channel| channel.name.as_str()).enumerate();
    if let Some((index, _)) = names().find(|&(_, name)| name == "Y") {
        return Some(index);
    }
    let of_heights = |name: &str| {
        let last = name.rsplit('.').next().unwrap_or(name).to_lowercase();
        HEIGHT_NAMES.contains(&last.as_str())
    };
    let mut heights = names().filter(|&(_, name)| of_heights(name));
    match (heights.next(), heights.next()) {
        (Some((index, _)), None) => Some(index),
        _ => None,
    }
}

/// Red, green and blue, where a part has them.
fn colours(part: &Part) -> Option<[usize; 3]> {
    let index = |name: &str| part.channels.iter().position(|channel| channel.name == name);
    Some([index("R")?, index("G")?, index("B")?])
}

fn list(candidates: &[Candidate<'_>]) -> String {
    format!("it has {}", names(candidates))
}

fn names(candidates: &[Candidate<'_>]) -> String {
    let more = if candidates.len() > MOST_NAMED { " and others" } else { "" };
    let names: Vec<_> =
        candidates.iter().take(MOST_NAMED).map(|found| format!("`{}`", found.full_name)).collect();
    format!("{}{more}", names.join(", "))
}
