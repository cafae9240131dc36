//! Joints that cannot be.

/// A joint that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("joint {name}: {fault}")]
pub struct JointError {
    /// The joint.
    pub name: String,
    /// What is wrong with it.
    pub fault: JointFault,
}

/// What is wrong with a joint.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JointFault {
    /// A body of another world.
    #[error("there is no body {body}: the world has {bodies}; join bodies that this world has given")]
    NoBody {
        /// its index
        body: usize,
        /// how many there are
        bodies: usize,
    },
    /// One body twice.
    #[error("it joins body {body} with itself: give two bodies")]
    OneBody {
        /// the body
        body: String,
    },
    /// Two bodies that no impulse moves.
    #[error(
        "neither {a} nor {b} is free, so that nothing moves it: let one of them be free, or drop the joint"
    )]
    Immovable {
        /// the first body
        a: String,
        /// the second
        b: String,
    },
    /// A number that is none.
    #[error("its {what} is not finite")]
    NotFinite {
        /// which
        what: &'static str,
    },
    /// An axis without direction.
    #[error("its axis is zero: give a direction")]
    Axis,
    /// A rod without length.
    #[error("its length is {length}: give a positive number, or take a ball joint where the points coincide")]
    Length {
        /// the value
        length: f64,
    },
    /// Limits that leave nothing between them.
    #[error("its limits are {low} and {high}: give the lower one first, and at least one that is finite")]
    Limits {
        /// lower
        low: f64,
        /// upper
        high: f64,
    },
    /// A motor or limits where nothing moves that they could act on.
    #[error("a {kind} joint has no {what}: {remedy}")]
    NoFreedom {
        /// motor or limits
        what: &'static str,
        /// which joint
        kind: &'static str,
        /// those that have it
        remedy: &'static str,
    },
    /// A motor that is none.
    #[error("its motor gives at most {most}: give a force or torque that is at least 0")]
    Motor {
        /// the value
        most: f64,
    },
    /// A speed that makes no sense.
    #[error("the speed of its motor: {fault}")]
    Speed {
        /// what is wrong
        fault: String,
    },
    /// Two joints of one name.
    #[error("there is a joint of that name already: names are unique")]
    Name,
}
