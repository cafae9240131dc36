//! The motion of the disk in closed form, Bloch 2023, appendix B, with m = R = 1 and J = ½.
//!
//! The printed slip velocity of B.4, case 1, has a wrong sign and lacks a time: it is `g cos α (tan α − 3μ) t`.

/// The slope, and how the disk lies over it at the start.
#[derive(Clone, Copy)]
pub struct Slope {
    pub g: f64,
    pub angle: f64,
    pub height: f64,
}

/// The disk at a time: way down the slope, distance from it, angle, and their rates.
#[derive(Clone, Copy)]
pub struct Moment {
    pub time: f64,
    pub way: f64,
    pub gap: f64,
    pub angle: f64,
    pub v_t: f64,
    pub v_n: f64,
    pub spin: f64,
}

impl Slope {
    /// When the disk lands.
    pub fn landing(&self) -> f64 {
        (2.0 * self.height / (self.g * self.angle.cos())).sqrt()
    }

    /// Whether the disk slips once it has landed.
    pub fn slips(&self, mu: f64) -> bool {
        mu < self.angle.tan() / 3.0
    }

    /// The slip of a disk that slides.
    pub fn slip(&self, mu: f64, time: f64) -> f64 {
        self.g * self.angle.cos() * (self.angle.tan() - 3.0 * mu) * time
    }

    pub fn at(&self, mu: f64, time: f64) -> Moment {
        let (along, across) = (self.g * self.angle.sin(), self.g * self.angle.cos());
        let flown = time.min(self.landing());
        let mut moment = Moment {
            time,
            way: 0.5 * along * flown * flown,
            gap: self.height - 0.5 * across * flown * flown,
            angle: 0.0,
            v_t: along * flown,
            v_n: -across * flown,
            spin: 0.0,
        };
        let s = time - flown;
        if s > 0.0 {
            // friction takes a share of the fall at once, and of the weight later; the spin gains twice as much
            let (shock, drag) = if self.slips(mu) {
                (-mu * moment.v_n, mu * across)
            } else {
                (moment.v_t / 3.0, along / 3.0)
            };
            let start = moment.v_t - shock;
            moment.way += start * s + 0.5 * (along - drag) * s * s;
            moment.angle = -2.0 * (shock * s + 0.5 * drag * s * s);
            (moment.gap, moment.v_n) = (0.0, 0.0);
            moment.v_t = start + (along - drag) * s;
            moment.spin = -2.0 * (shock + drag * s);
        }
        moment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_the_motion_and_slip_is_as_told() {
        let slope = Slope { g: 1.0, angle: 0.5, height: 1.0 };
        for mu in [0.0, 0.1, 1.0] {
            for time in [1.0, 2.0, 5.0] {
                let [a, b] = [-1e-5, 1e-5].map(|d| slope.at(mu, time + d));
                let (now, rate) = (slope.at(mu, time), |x: f64| x / 2e-5);
                assert!((rate(b.way - a.way) - now.v_t).abs() < 1e-6);
                assert!((rate(b.gap - a.gap) - now.v_n).abs() < 1e-6);
                assert!((rate(b.angle - a.angle) - now.spin).abs() < 1e-6);
                if time > slope.landing() {
                    let expected = if slope.slips(mu) { slope.slip(mu, time) } else { 0.0 };
                    assert!((now.v_t + now.spin - expected).abs() < 1e-12, "{mu} {time}");
                }
            }
        }
    }
}
