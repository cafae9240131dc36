//! Scenes that come with stickslip.

/// Makes the list from the files in `scenes/`.
macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        /// Name and text of every built-in scene, the default one first.
        pub const SCENES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../scenes/", $name, ".toml")))),*];
    };
}

scenes!(
    "rotating-drum",
    "hopper-flow",
    "sand-pile",
    "column-collapse",
    "brazil-nut",
    "masonry-settlement",
    "arch",
    "card-house",
    "dominoes",
    "shear-box",
    "newtons-cradle",
    "conveyor-belt",
    "ball-mill",
    "rock-avalanche",
    "chain",
    "tippe-top",
    "cohesive-powder",
    "bonded-wall",
    "rolling-heaps",
);

/// The text of a built-in scene.
pub fn find(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// All names.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCENES.iter().map(|(name, _)| *name)
}
