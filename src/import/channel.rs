//! Which channel of a picture is read.

/// A channel of a picture. A grey one has only the first, and alpha where it has that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Red, or grey.
    #[default]
    Red,
    /// Green.
    Green,
    /// Blue.
    Blue,
    /// Alpha.
    Alpha,
}

impl Channel {
    /// Every channel, in the order of a pixel.
    pub const ALL: [Self; 4] = [Self::Red, Self::Green, Self::Blue, Self::Alpha];

    /// The name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Channel::Red => "red",
            Channel::Green => "green",
            Channel::Blue => "blue",
            Channel::Alpha => "alpha",
        }
    }

    /// Which of so many channels of a pixel it is. The error is a sentence.
    pub(super) fn index(self, channels: usize) -> Result<usize, String> {
        let names: &[Self] = match channels {
            1 => &[Self::Red],
            2 => &[Self::Red, Self::Alpha],
            3 => &[Self::Red, Self::Green, Self::Blue],
            _ => &Self::ALL,
        };
        names.iter().position(|&name| name == self).ok_or_else(|| {
            let names: Vec<_> = names.iter().map(|name| name.name()).collect();
            format!("has no {} channel; it has {}", self.name(), names.join(", "))
        })
    }
}
