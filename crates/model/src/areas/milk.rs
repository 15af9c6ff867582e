//! Published data: average expenditure on fresh milk in 43 small areas, the Consumer Expenditure
//! Survey of 1989 (Arora and Lahiri 1997; the table `milk` of R's package `sae`), and reference
//! results of other programs.

/// Direct estimate, its standard error and the number of the major area.
pub(super) const AREAS: [(f64, f64, usize); 43] = [
    (1.099, 0.163, 1),
    (1.075, 0.08, 1),
    (1.105, 0.083, 1),
    (0.628, 0.109, 1),
    (0.753, 0.119, 1),
    (0.981, 0.141, 1),
    (1.257, 0.202, 1),
    (1.095, 0.127, 2),
    (1.405, 0.168, 2),
    (1.356, 0.178, 2),
    (0.615, 0.1, 2),
    (1.46, 0.201, 2),
    (1.338, 0.148, 2),
    (0.854, 0.143, 2),
    (1.176, 0.149, 3),
    (1.111, 0.145, 3),
    (1.257, 0.135, 3),
    (1.43, 0.172, 3),
    (1.278, 0.137, 3),
    (1.292, 0.163, 3),
    (1.002, 0.125, 3),
    (1.183, 0.247, 3),
    (1.044, 0.14, 3),
    (1.267, 0.171, 3),
    (1.193, 0.106, 3),
    (0.791, 0.121, 4),
    (0.795, 0.121, 4),
    (0.759, 0.259, 4),
    (0.796, 0.106, 4),
    (0.565, 0.089, 4),
    (0.886, 0.225, 4),
    (0.952, 0.205, 4),
    (0.807, 0.119, 4),
    (0.582, 0.067, 4),
    (0.684, 0.106, 4),
    (0.787, 0.126, 4),
    (0.44, 0.092, 4),
    (0.759, 0.132, 4),
    (0.77, 0.1, 4),
    (0.8, 0.113, 4),
    (0.756, 0.083, 4),
    (0.865, 0.121, 4),
    (0.64, 0.129, 4),
];

/// Variance of the area effects: the root of the restricted likelihood's derivative, by
/// Brent's method in SciPy, and the maximum of that likelihood, found by itself.
pub(super) const VARIANCE: f64 = 0.018_550_334_762_8;

/// Coefficients, as `sae` prints them (`eblupFH(yi ~ as.factor(MajorArea), SD^2)`), and
/// their standard errors.
pub(super) const COEFFICIENTS: [(f64, f64); 4] = [
    (0.968_189_0, 0.069_362_08),
    (0.132_780_1, 0.103_000_72),
    (0.226_946_2, 0.092_329_81),
    (-0.241_301_1, 0.081_617_07),
];

/// Of the first areas: estimate and mean squared error as `sae` prints them (`mseFH`), which
/// stops at a relative change of 1e-4 of the variance; and both at the root itself.
pub(super) const ESTIMATES: [[f64; 4]; 8] = [
    [1.0219703, 0.01346022, 1.0219705442, 0.01346025646],
    [1.0476018, 0.005372876, 1.0476019514, 0.005372879733],
    [1.0679513, 0.00570199, 1.0679514263, 0.005701994717],
    [0.760817, 0.00854174, 0.7608165651, 0.008541752019],
    [0.8461574, 0.009579594, 0.8461570438, 0.009579609714],
    [0.9743727, 0.011670632, 0.9743727061, 0.011670657818],
    [1.0584523, 0.015926137, 1.0584526719, 0.015926190443],
    [1.0977762, 0.010586518, 1.0977762562, 0.010586535919],
];
