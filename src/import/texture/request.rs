//! Which files make a texture of a layer.

use super::picture::Picture;
use super::source::{Source, decode, read_file};
use super::surface::{Parts, Plane, from_planes, packed};
use super::{Blocks, Failure, Stop, TextureData, albedo, normal};
use crate::splat::{Layer, TextureSlot};
use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// The files of one texture of a layer, and how they are read. Two layers that name the same files in the same way have the
/// same request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextureRequest(Files);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Files {
    Albedo(String),
    Packed(String),
    /// Occlusion, roughness, blend heights; at least one.
    Parts(Parts<Option<String>>),
    Normal(String),
}

/// Gives the bytes of a file and the name that an error is to have.
type Open<'a> = &'a mut dyn FnMut(&str) -> Result<(PathBuf, Vec<u8>)>;

/// Gives what a file is and the name that an error is to have.
type Decode<'a> = &'a mut dyn FnMut(&str) -> Result<(PathBuf, Source), Failure>;

impl TextureRequest {
    /// What a layer asks for in a slot, or None where it names no file for it.
    pub fn of(layer: &Layer, slot: TextureSlot) -> Option<Self> {
        let files = match slot {
            TextureSlot::Albedo => Files::Albedo(layer.albedo.clone()?),
            TextureSlot::Normal => Files::Normal(layer.normal.clone()?),
            TextureSlot::Surface => match &layer.surface {
                Some(file) => Files::Packed(file.clone()),
                None => {
                    let parts = parts_of(layer).map(|part| part.cloned());
                    parts.iter().any(Option::is_some).then_some(Files::Parts(parts))?
                }
            },
        };
        Some(Self(files))
    }

    /// True where it is what a layer asks for in a slot. Nothing is allocated.
    pub fn is_of(&self, layer: &Layer, slot: TextureSlot) -> bool {
        match (&self.0, slot) {
            (Files::Albedo(file), TextureSlot::Albedo) => layer.albedo.as_ref() == Some(file),
            (Files::Packed(file), TextureSlot::Surface) => layer.surface.as_ref() == Some(file),
            (Files::Parts(files), TextureSlot::Surface) => {
                layer.surface.is_none()
                    && parts_of(layer) == [&files[0], &files[1], &files[2]].map(Option::as_ref)
            }
            (Files::Normal(file), TextureSlot::Normal) => layer.normal.as_ref() == Some(file),
            _ => false,
        }
    }

    /// The slot that it fills.
    pub fn slot(&self) -> TextureSlot {
        match &self.0 {
            Files::Albedo(_) => TextureSlot::Albedo,
            Files::Packed(_) | Files::Parts(_) => TextureSlot::Surface,
            Files::Normal(_) => TextureSlot::Normal,
        }
    }

    /// The files, without suffixes for channels, each once.
    pub fn files(&self) -> Vec<&str> {
        let mut files: Vec<&str> = match &self.0 {
            Files::Albedo(file) | Files::Packed(file) | Files::Normal(file) => vec![file],
            Files::Parts(files) => files.iter().flatten().map(|file| channel_of(file).0).collect(),
        };
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Reads the files, whose names are paths from a folder, and makes the texture.
    ///
    /// # Errors
    /// [`Error::File`] naming the file that is missing, truncated, of a format or kind that is not taken, larger than 16384
    /// texels a side or 2²⁶ in all, or without the channel that is asked of it.
    pub fn read(&self, folder: impl AsRef<Path>, blocks: Blocks) -> Result<TextureData> {
        let read = self.read_watched(folder, blocks, &|| false)?;
        read.ok_or_else(|| Error::invalid("texture", "reading was broken off, though nobody asked for it"))
    }

    /// The same, and ends with nothing soon after `stop` says true. It is asked often.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_watched(
        &self,
        folder: impl AsRef<Path>,
        blocks: Blocks,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<TextureData>> {
        let folder = folder.as_ref();
        let open = &mut |file: &str| {
            let path = folder.join(file);
            read_file(&path).map(|bytes| (path, bytes))
        };
        match self.make(open, blocks, Stop(stop)) {
            Ok(texture) => Ok(Some(texture)),
            Err(Failure::Stopped) => Ok(None),
            Err(Failure::Refused(error)) => Err(error),
        }
    }

    /// Makes the texture from files that are in memory: `open` gives the bytes of a file by its name.
    ///
    /// # Errors
    /// As [`read`](Self::read), and what `open` fails with.
    pub fn read_from(
        &self,
        mut open: impl FnMut(&str) -> Result<Vec<u8>>,
        blocks: Blocks,
    ) -> Result<TextureData> {
        let open = &mut |file: &str| open(file).map(|bytes| (PathBuf::from(file), bytes));
        match self.make(open, blocks, Stop(&|| false)) {
            Ok(texture) => Ok(texture),
            Err(Failure::Stopped) => Err(Error::invalid("texture", "reading was broken off")),
            Err(Failure::Refused(error)) => Err(error),
        }
    }

    fn make(&self, open: Open<'_>, blocks: Blocks, stop: Stop<'_>) -> Result<TextureData, Failure> {
        let mut one = |file: &str| -> Result<(PathBuf, Source), Failure> {
            let (path, bytes) = open(file)?;
            let source = decode(&path, &bytes, stop)?;
            Ok((path, source))
        };
        let mut texture = match &self.0 {
            Files::Parts(files) => return parts(files, &mut one, stop),
            Files::Albedo(file) => albedo::albedo(one(whole(file)?)?.1, blocks, stop)?,
            Files::Packed(file) => {
                let (path, source) = one(whole(file)?)?;
                packed(&path, source, blocks, stop)?
            }
            Files::Normal(file) => {
                let (path, source) = one(whole(file)?)?;
                normal::normal(&path, source, blocks, stop)?
            }
        };
        for note in &mut texture.notes {
            *note = format!("{}: {note}", self.files()[0]);
        }
        Ok(texture)
    }
}

/// Occlusion, roughness and blend heights of a layer.
fn parts_of(layer: &Layer) -> Parts<Option<&String>> {
    [&layer.occlusion, &layer.roughness, &layer.height].map(Option::as_ref)
}

/// A surface of several files. Each file is decoded once, and of its texels only the channels that are asked for are kept.
fn parts(files: &Parts<Option<String>>, one: Decode<'_>, stop: Stop<'_>) -> Result<TextureData, Failure> {
    let asked = files.each_ref().map(|file| file.as_deref().map(channel_of));
    let mut planes: Parts<Option<Plane>> = [None, None, None];
    let mut notes = Vec::new();
    for first in 0..asked.len() {
        let Some((file, _)) = asked[first].filter(|_| planes[first].is_none()) else { continue };
        let (path, source) = one(file)?;
        let picture: Picture = source.into_picture();
        notes.extend(picture.notes.iter().map(|note| format!("{file}: {note}")));
        for (plane, (_, channel)) in planes
            .iter_mut()
            .zip(asked)
            .filter_map(|(plane, asked)| Some((plane, asked.filter(|a| a.0 == file)?)))
        {
            *plane = Some(Plane::of(&path, &picture, channel)?);
        }
    }
    from_planes(planes, notes, stop)
}

/// A file and the channel that a name's suffix asks for, from red on; red without one.
fn channel_of(name: &str) -> (&str, usize) {
    for (channel, suffix) in ["#r", "#g", "#b", "#a"].into_iter().enumerate() {
        if let Some(file) = name.strip_suffix(suffix) {
            return (file, channel);
        }
    }
    (name, 0)
}

/// A name that may have no suffix, because all channels of the file are taken.
fn whole(name: &str) -> Result<&str> {
    let (file, _) = channel_of(name);
    if file.len() == name.len() {
        return Ok(name);
    }
    let why = "a channel can be named for occlusion, roughness and height; albedo, surface and normal are whole files";
    Err(Error::file(name, why))
}
