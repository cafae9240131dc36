//! MP4 and WebM, by ffmpeg where it is installed: images go through a pipe.

use super::{Encode, ending};
use crate::error::PictureError;
use crate::files::Part;
use crate::picture::Picture;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The program.
const FFMPEG: &str = "ffmpeg";

pub struct Ffmpeg {
    child: Child,
    path: PathBuf,
}

/// Refuses before the work where there is no ffmpeg.
pub fn check(path: &Path) -> Result<(), PictureError> {
    let quiet = || Stdio::null();
    let started =
        Command::new(FFMPEG).arg("-version").stdin(quiet()).stdout(quiet()).stderr(quiet()).status();
    started.map(drop).map_err(|source| PictureError::NoFfmpeg { path: path.into(), source })
}

impl Ffmpeg {
    pub fn start(path: &Path, part: &Part, size: (u32, u32), rate: f64) -> Result<Self, PictureError> {
        let mut command = Command::new(FFMPEG);
        command.args(arguments(&ending(path), size, rate)).arg(part.path());
        Self::spawn(command, path)
    }

    fn spawn(mut command: Command, path: &Path) -> Result<Self, PictureError> {
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let path = path.to_path_buf();
        match command.spawn() {
            Ok(child) => Ok(Ffmpeg { child, path }),
            Err(source) => Err(PictureError::NoFfmpeg { path, source }),
        }
    }

    /// What it said, once it has ended.
    fn failure(&mut self) -> PictureError {
        let mut message = String::new();
        if let Some(errors) = &mut self.child.stderr {
            let _ = errors.read_to_string(&mut message);
        }
        PictureError::Ffmpeg { path: self.path.clone(), message: message.trim().into() }
    }
}

/// Raw images in, a file that all players know out; these want even numbers of pixels.
fn arguments(ending: &str, (width, height): (u32, u32), rate: f64) -> Vec<String> {
    let codec = match ending {
        "webm" => "-c:v libvpx-vp9 -crf 28 -b:v 0",
        _ => "-c:v libx264 -crf 18 -movflags +faststart",
    };
    format!(
        "-y -loglevel error -f rawvideo -pixel_format rgb24 -video_size {width}x{height} -framerate {rate} -i - \
         -vf pad=ceil(iw/2)*2:ceil(ih/2)*2 -pix_fmt yuv420p {codec}"
    )
    .split_whitespace()
    .map(String::from)
    .collect()
}

impl Encode for Ffmpeg {
    fn push(&mut self, picture: &Picture, _hundredths: u16) -> Result<(), PictureError> {
        let written = self.child.stdin.as_mut().map(|pipe| pipe.write_all(&picture.rgb()));
        match written {
            Some(Ok(())) => Ok(()),
            _ => Err(self.failure()),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<(), PictureError> {
        // the end of its input is what it waits for
        drop(self.child.stdin.take());
        let error = self.failure();
        match self.child.wait() {
            Ok(status) if status.success() => Ok(()),
            _ => Err(error),
        }
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::frame::Frame;
    use crate::style::Style;
    use stickslip::World;

    /// A stand-in that runs a line of shell.
    fn stand_in(line: &str) -> Ffmpeg {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        Ffmpeg::spawn(command, Path::new("a.mp4")).unwrap()
    }

    fn picture() -> Picture {
        let style = Style { size: (40, 20), ..Style::<2>::default() };
        Frame::of(&World::<2>::default(), &style.colouring).unwrap().draw(&style).unwrap()
    }

    #[test]
    fn all_pixels_go_through_the_pipe_and_its_last_words_are_told() {
        let mut taken = stand_in("test $(wc -c) = 4800");
        (0..2).for_each(|_| taken.push(&picture(), 4).unwrap());
        Box::new(taken).finish().unwrap();
        let mut refused = stand_in("cat > /dev/null; echo no such codec >&2; exit 1");
        refused.push(&picture(), 4).unwrap();
        let error = Box::new(refused).finish().unwrap_err().to_string();
        assert!(error.contains("a.mp4") && error.contains("no such codec"), "{error}");
    }

    #[test]
    fn without_ffmpeg_the_remedy_is_named() {
        let Err(error) = Ffmpeg::spawn(Command::new("no-such-ffmpeg"), Path::new("a.mp4")) else {
            panic!("started");
        };
        let error = error.to_string();
        assert!(error.contains("a.mp4") && error.contains("install it, or name the movie *.gif"), "{error}");
    }
}
