//! What cannot be drawn or written.

use std::path::PathBuf;

/// A picture, movie or page that cannot be.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// A body that is nowhere.
    #[error("body {body}: its {what} is not finite, so it cannot be drawn; look for the step that lost it")]
    NotFinite {
        /// the body
        body: String,
        /// position or orientation
        what: &'static str,
    },
    /// A picture too small or too large.
    #[error("a picture of {width} x {height} pixels: give from 16 to 16384 each way")]
    Size {
        /// pixels across
        width: u32,
        /// pixels down
        height: u32,
    },
    /// A camera that sees nothing.
    #[error("camera, {what} = {value}: give finite angles in degrees, and a zoom above 0")]
    Camera {
        /// which setting
        what: &'static str,
        /// the value
        value: f64,
    },
    /// A view of nothing.
    #[error("the bounds of the view have no size: give a finite box, its low corner first")]
    View,
    /// A colouring that is none.
    #[error(
        "colour by \"{given}\": {fault}; give speed, size, angle, force, residual, name or plain, then if wanted :LOW..HIGH and :even, :diverging or :cyclic"
    )]
    Colouring {
        /// as given
        given: String,
        /// what is wrong
        fault: String,
    },
    /// Values for another number of bodies.
    #[error("{found} values of {label} for {bodies} bodies: give one each")]
    Values {
        /// what they are
        label: String,
        /// how many there are
        found: usize,
        /// how many it takes
        bodies: usize,
    },
    /// Residuals that were not kept.
    #[error("colour by residual: the last step has kept none; set keep_residuals of the world before it")]
    NoResiduals,
    /// An image of a movie that differs in size from the first.
    #[error(
        "{path}: an image of {found:?} pixels after ones of {first:?}: all images of a movie are of one size"
    )]
    Images {
        /// the movie
        path: PathBuf,
        /// size of the first
        first: (u32, u32),
        /// size of this one
        found: (u32, u32),
    },
    /// A movie of nothing.
    #[error("{path}: a movie without images: push at least one before it is finished")]
    NoImages {
        /// the movie
        path: PathBuf,
    },
    /// Images a second that are none.
    #[error("{path}: {rate} images a second: give a number above 0, up to 100")]
    Rate {
        /// the movie
        path: PathBuf,
        /// as given
        rate: f64,
    },
    /// A kind of file that is not written.
    #[error("{path}: the ending of a {what} is one of {known}")]
    Ending {
        /// the file
        path: PathBuf,
        /// picture, movie or plot
        what: &'static str,
        /// what would do
        known: &'static str,
    },
    /// No thread to draw a movie.
    #[error("{path}: no thread can be started to draw it ({source}); allow more threads or processes")]
    Thread {
        /// the movie
        path: PathBuf,
        /// why
        source: std::io::Error,
    },
    /// A movie that has ended.
    #[error("the movie has ended, as an error before has told; begin another one")]
    Ended,
    /// No ffmpeg.
    #[error(
        "{path}: needs ffmpeg, which cannot be started ({source}): install it, or name the movie *.gif or *.png, which need nothing"
    )]
    NoFfmpeg {
        /// the movie
        path: PathBuf,
        /// why
        source: std::io::Error,
    },
    /// An ffmpeg that gave up.
    #[error("{path}: ffmpeg failed: {message}")]
    Ffmpeg {
        /// the movie
        path: PathBuf,
        /// its last words
        message: String,
    },
    /// A file that cannot be written.
    #[error(
        "{path}: cannot be written ({source}); check that its folder exists, its permissions and the free space"
    )]
    Write {
        /// the file
        path: PathBuf,
        /// why
        source: std::io::Error,
    },
    /// A file that cannot be read.
    #[error("{path}: {fault}")]
    Read {
        /// the file or folder
        path: PathBuf,
        /// what is wrong
        fault: String,
    },
    /// An image that an encoder refused.
    #[error("the picture cannot be encoded: {0}")]
    Encode(String),
    /// A plot that could not be drawn.
    #[error("the plot cannot be drawn: {0}")]
    Plot(String),
}

impl From<png::EncodingError> for PictureError {
    fn from(error: png::EncodingError) -> Self {
        PictureError::Encode(error.to_string())
    }
}

impl From<gif::EncodingError> for PictureError {
    fn from(error: gif::EncodingError) -> Self {
        PictureError::Encode(error.to_string())
    }
}
