//! The JSON that androidx.benchmark's macrobenchmarks write (`*-benchmarkData.json`), for
//! dashboards that read it: a benchmark per input sequence, named metrics as its
//! `PowerMetric` has them (`energyTotalUws`: microwatt seconds, that is microjoules), and
//! `energyAboveIdleUws` beside it where the idle power is known.

use serde_json::{Value, json};

use super::data::{ExportData, InputEnergies};
use crate::quantile::median;

/// The text of the file.
pub(super) fn benchmark_json(data: &ExportData<'_>) -> Vec<u8> {
    let benchmarks = data.inputs.iter().map(|(name, input)| benchmark(data, name, input));
    let value = json!({
        "context": {
            "build": {
                "brand": "wattline",
                "device": data.board,
                "fingerprint": format!("{} energy", data.basis),
                "model": data.board,
            },
            "cpuLocked": data.frequency_hz.is_some(),
            "cpuMaxFreqHz": data.frequency_hz.map_or(-1, |hz| i64::try_from(hz).unwrap_or(-1)),
        },
        "benchmarks": benchmarks.collect::<Vec<Value>>(),
    });
    let mut bytes = serde_json::to_vec_pretty(&value).expect("keys are strings");
    bytes.push(b'\n');
    bytes
}

fn benchmark(data: &ExportData<'_>, name: &str, input: &InputEnergies) -> Value {
    let total_ns = input.duration_s.iter().sum::<f64>() * 1e9;
    let mut metrics = json!({"energyTotalUws": metric(&input.total_uj)});
    if let Some(above_idle_uj) = &input.above_idle_uj {
        metrics["energyAboveIdleUws"] = metric(above_idle_uj);
    }
    json!({
        "name": name,
        "params": {},
        "className": format!("{}.{}", data.package, data.scenario),
        "totalRunTimeNs": total_ns.round() as u64,
        "metrics": metrics,
        "sampledMetrics": {},
        "warmupIterations": 0,
        "repeatIterations": input.total_uj.len(),
        "thermalThrottleSleepSeconds": 0,
    })
}

/// Minimum, maximum, median and all runs; empty without runs.
fn metric(runs: &[f64]) -> Value {
    let values = || runs.iter().copied();
    let Some(median) = median(values()) else { return Value::Null };
    let (least, most) = (values().reduce(f64::min), values().reduce(f64::max));
    json!({"minimum": least, "maximum": most, "median": median, "runs": runs})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::sample;

    #[test]
    fn runs_keep_their_order_and_have_a_median() {
        let sample = sample::sample();
        let value: Value = serde_json::from_slice(&benchmark_json(&sample.data())).unwrap();
        let benchmark = &value["benchmarks"][0];
        assert_eq!(benchmark["name"], "north");
        let metric = &benchmark["metrics"]["energyTotalUws"];
        assert_eq!(metric["runs"], json!([3e6, 1e6, 2e6, 4e6]));
        assert_eq!((&metric["minimum"], &metric["median"]), (&json!(1e6), &json!(2.5e6)));
        assert_eq!(benchmark["repeatIterations"], 4);
        assert_eq!(benchmark["metrics"]["energyAboveIdleUws"]["median"], 1.5e6);
    }

    #[test]
    fn an_unknown_idle_power_is_not_zero() {
        let mut sample = sample::sample();
        sample.inputs.values_mut().for_each(|input| input.above_idle_uj = None);
        let value: Value = serde_json::from_slice(&benchmark_json(&sample.data())).unwrap();
        let metrics = value["benchmarks"][0]["metrics"].as_object().unwrap();
        assert_eq!(metrics.keys().collect::<Vec<_>>(), ["energyTotalUws"]);
    }
}
