//! Junctions of the points between blocks: points between which control passes with nothing in
//! between are one, and as many executions arrive there as leave.

/// Index of a point; [`Junctions::OUT`] or one that [`Junctions::point`] returned.
pub type Point = usize;

/// Disjoint sets of points (union-find with path halving).
#[derive(Debug, Clone)]
pub(crate) struct Junctions {
    parent: Vec<Point>,
}

impl Junctions {
    /// Point of unknown arrivals and departures: outside of all units, after code that may throw,
    /// between the iterations of a loop.
    pub const OUT: Point = 0;

    /// Makes `count` points beside [`Junctions::OUT`], from 1, each a junction of its own.
    pub fn new(count: usize) -> Junctions {
        Junctions { parent: (0..=count).collect() }
    }

    /// Adds a point and returns it.
    pub fn add_point(&mut self) -> Point {
        self.parent.push(self.parent.len());
        self.parent.len() - 1
    }

    /// Joins the junctions of `a` and `b`; returns whether they were two.
    pub fn join(&mut self, a: Point, b: Point) -> bool {
        let (a, b) = (self.of(a), self.of(b));
        // The outside stays its own representative.
        self.parent[a.max(b)] = a.min(b);
        a != b
    }

    /// Returns the junction of `point`, identified by its least point.
    pub fn of(&mut self, mut point: Point) -> Point {
        while self.parent[point] != point {
            self.parent[point] = self.parent[self.parent[point]];
            point = self.parent[point];
        }
        point
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_points_are_one_junction() {
        let mut junctions = Junctions::new(3);
        let fresh = junctions.add_point();
        assert!(junctions.join(1, 2));
        assert!(junctions.join(fresh, 2));
        assert!(!junctions.join(1, fresh));
        assert_eq!((junctions.of(fresh), junctions.of(3)), (1, 3));
        junctions.join(2, Junctions::OUT);
        assert_eq!(junctions.of(fresh), Junctions::OUT);
    }
}
