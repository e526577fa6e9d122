//! A decoded picture.

/// Texels of four bytes, whatever the file had.
pub(super) struct Picture {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Which of the four channels were in the file.
    pub(super) channels: Channels,
    /// Whether the file says that its colours are sRGB, where it says anything.
    pub(super) srgb: Option<bool>,
    /// Red, green, blue, alpha; rows from north to south.
    pub(super) texels: Vec<[u8; 4]>,
    /// What was changed while it was read.
    pub(super) notes: Vec<String>,
}

/// The channels of a file. What it lacks is grey's own value, 0 for blue beside two channels, and 255 for alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channels {
    Grey,
    GreyAlpha,
    RedGreen,
    Rgb,
    Rgba,
}

impl Channels {
    pub(super) fn has_alpha(self) -> bool {
        matches!(self, Self::GreyAlpha | Self::Rgba)
    }

    pub(super) fn is_grey(self) -> bool {
        matches!(self, Self::Grey | Self::GreyAlpha)
    }

    /// True where one of the four channels, from red on, is of the file.
    pub(super) fn has(self, channel: usize) -> bool {
        match channel {
            2 => self != Self::RedGreen,
            3 => self.has_alpha(),
            _ => true,
        }
    }
}

impl Picture {
    pub(super) fn new(width: u32, height: u32, channels: Channels) -> Self {
        Self { width, height, channels, srgb: None, texels: Vec::new(), notes: Vec::new() }
    }

    /// How many texels it is to have.
    pub(super) fn count(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Appends texels from their bytes, as many channels each as the file has.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let texels = &mut self.texels;
        match self.channels {
            Channels::Grey => texels.extend(bytes.iter().map(|&grey| [grey, grey, grey, 255])),
            Channels::GreyAlpha => {
                texels.extend(bytes.as_chunks().0.iter().map(|&[grey, alpha]| [grey, grey, grey, alpha]));
            }
            Channels::RedGreen => {
                texels.extend(bytes.as_chunks().0.iter().map(|&[red, green]| [red, green, 0, 255]))
            }
            Channels::Rgb => {
                texels.extend(bytes.as_chunks().0.iter().map(|&[red, green, blue]| [red, green, blue, 255]));
            }
            Channels::Rgba => texels.extend(bytes.as_chunks::<4>().0),
        }
    }

    /// True where there is no alpha, or it is opaque everywhere, so that it says nothing.
    pub(super) fn is_opaque(&self) -> bool {
        !self.channels.has_alpha() || self.texels.iter().all(|texel| texel[3] == 255)
    }
}
