//! Pictures and movies of a run, and how they look.

use crate::reader::Point;
use schemars::JsonSchema;
use serde::Deserialize;

/// How pictures and movies look. It asks for none by itself.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "look")]
pub struct LookSpec {
    /// What colours show: `speed`, `force`, `residual`, `size`, `angle`, `name` or `plain`, then if wanted a range as
    /// `:0..2` and a map as `:even`, `:diverging` or `:cyclic`. Default "speed".
    pub colour: Option<String>,
    /// Whether force chains are drawn. Default false.
    #[serde(default)]
    pub chains: bool,
    /// From where space is seen. Default from the front, a little above.
    #[serde(default)]
    pub camera: CameraSpec,
    /// What is shown, as a box. Default all bodies.
    pub view: Option<ViewSpec>,
    /// Whether colour bar, time and scale are drawn. Default true.
    pub legend: Option<bool>,
    /// A line above. Default none.
    #[serde(default)]
    pub title: String,
}

/// From where space is seen; the plane has no use for it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "camera")]
pub struct CameraSpec {
    /// Direction of the eye about the upward axis, from the first axis towards the second [degrees]. Default -60.
    pub azimuth: Option<f64>,
    /// Height of the eye above the horizon [degrees]. Default 20.
    pub elevation: Option<f64>,
    /// By how much all is larger than what just fits. Default 1.
    pub zoom: Option<f64>,
}

/// A box to be seen.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "view")]
pub struct ViewSpec {
    /// Its low corner [length].
    pub low: Point,
    /// Its high corner [length].
    pub high: Point,
}

/// Pictures: the last state as `picture.png`, and others in the folder `pictures`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "picture")]
pub struct PictureSpec {
    /// Simulated time between two more pictures; one as short as a step takes every step [time]. Default none.
    pub every: Option<f64>,
    /// Simulated times of more pictures [time]. Default none.
    #[serde(default)]
    pub times: Vec<f64>,
    /// Pixels across and down. Default [1280, 720].
    pub size: Option<(u32, u32)>,
}

/// A movie.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "movie")]
pub struct MovieSpec {
    /// Its name in the folder of the run, whose ending says of which kind it is: .gif, .png (animated), .mp4 or .webm, the
    /// last two by ffmpeg. Default "movie.gif".
    pub file: Option<String>,
    /// Simulated time between two images; one as short as a step takes every step [time]. Default a hundredth of the run.
    pub every: Option<f64>,
    /// Images a second when it is shown, at most 100. Default 25.
    pub rate: Option<f64>,
    /// Pixels across and down. Default [640, 360].
    pub size: Option<(u32, u32)>,
}
