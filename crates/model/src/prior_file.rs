//! `microbenchmarks.csv`: costs from microbenchmarks, read as priors and written.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::once;

use serde::Deserialize;
use wattline_units::csv_text::{self, CsvText};
use wattline_units::file_schema::DeclaredColumn;
use wattline_units::shortened::shortened;

use super::error::ModelError;
use super::fitted_model::{ContextPrice, CostPrior, CostPriors, Model};

/// First column of a table with the covariance of cost errors; the others have the same names.
pub const COVARIANCE_KEY: DeclaredColumn =
    DeclaredColumn::text("operation", "Operation or library function");

impl CostPrior {
    /// Reads the columns `operation`, `cost_j` and `se_j` of a CSV text; rows with a `context` and
    /// other columns are ignored. Errors name the line: a column missing, a number that is none, a
    /// negative error, an operation given twice.
    pub fn from_csv(text: &str) -> Result<Vec<Self>, ModelError> {
        let mut reader =
            csv_text::reader_with_settings(csv::ReaderBuilder::new().trim(csv::Trim::All), text);
        let headers =
            reader.headers().map_err(|error| prior_error(1, csv_error_text(&error)))?.clone();
        let column = |name: &str| {
            headers
                .iter()
                .position(|header| header == name)
                .ok_or_else(|| prior_error(1, format!("there is no column `{name}`")))
        };
        let context = column("context").ok();
        let columns = [column("operation")?, column("cost_j")?, column("se_j")?];
        let mut priors: Vec<Self> = Vec::new();
        let mut known = BTreeSet::new();
        for record in reader.records() {
            let record = record
                .map_err(|error| prior_error(line_of_error(&error), csv_error_text(&error)))?;
            if context.and_then(|at| record.get(at)).is_some_and(|text| !text.is_empty()) {
                continue;
            }
            let prior = parse(&record, columns)?;
            if !known.insert(prior.operation.clone()) {
                let operation = shortened(&prior.operation);
                let message = format!("`{operation}` is there twice; keep one");
                return Err(prior_error(line_of(&record), message));
            }
            priors.push(prior);
        }
        Ok(priors)
    }

    /// Writes the columns `operation`, `cost_j` and `se_j` as CSV text.
    pub fn to_csv(priors: &[Self]) -> Result<String, ModelError> {
        super::csv_of(priors)
    }
}

/// Number of code locations in a row of costs from microbenchmarks.
#[derive(Deserialize)]
struct PlacesRow {
    #[serde(default = "super::fitted_model::one_place")]
    places: usize,
}

impl CostPriors {
    /// Reads what [`CostPrior::from_csv`] reads, and the column `places` where there is one.
    ///
    /// # Errors
    /// As there; a number of places that is none.
    pub fn from_csv(text: &str) -> Result<Self, ModelError> {
        let costs = CostPrior::from_csv(text)?;
        let mut reader =
            csv_text::reader_with_settings(csv::ReaderBuilder::new().trim(csv::Trim::All), text);
        let mut places = None;
        for row in reader.deserialize::<PlacesRow>() {
            let row =
                row.map_err(|error| prior_error(line_of_error(&error), csv_error_text(&error)))?;
            places = Some(places.map_or(row.places, |least: usize| least.min(row.places)));
        }
        Ok(Self { places: places.unwrap_or(1).max(1), ..costs.into() })
    }

    /// Returns the costs with the covariance of errors of a CSV text: a column `operation` and one
    /// for each operation, in J^2. Errors name the line: an operation that is not there, a number
    /// that is none.
    pub fn with_covariance_csv(self, text: &str) -> Result<Self, ModelError> {
        let mut reader =
            csv_text::reader_with_settings(csv::ReaderBuilder::new().trim(csv::Trim::All), text);
        let headers =
            reader.headers().map_err(|error| prior_error(1, csv_error_text(&error)))?.clone();
        let column = |name: &str| {
            headers
                .iter()
                .skip(1)
                .position(|header| header == name)
                .ok_or_else(|| prior_error(1, format!("there is no column `{name}`")))
        };
        let mut rows: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for record in reader.records() {
            let record = record
                .map_err(|error| prior_error(line_of_error(&error), csv_error_text(&error)))?;
            let number = |text: &str| match text.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(value),
                _ => Err(prior_error(
                    line_of(&record),
                    format!("`{}` is not a finite number of J^2", shortened(text)),
                )),
            };
            let row: Vec<f64> = record.iter().skip(1).map(number).collect::<Result<_, _>>()?;
            rows.insert(record.get(0).unwrap_or_default().to_owned(), row);
        }
        let columns: Vec<usize> =
            self.costs.iter().map(|cost| column(&cost.operation)).collect::<Result<_, _>>()?;
        let mut covariance = Vec::with_capacity(columns.len() * columns.len());
        for cost in &self.costs {
            let row = rows.get(&cost.operation);
            let row =
                row.ok_or_else(|| prior_error(1, format!("there is no row `{}`", cost.operation)))?;
            covariance.extend(columns.iter().map(|column| row[*column]));
        }
        Ok(Self { covariance: Some(covariance), ..self })
    }

    /// Writes the covariance as [`CostPriors::with_covariance_csv`] reads it; none where
    /// errors are independent.
    pub fn covariance_csv(&self) -> Option<String> {
        let covariance = self.covariance.as_ref()?;
        let names: Vec<&str> = self.costs.iter().map(|cost| cost.operation.as_str()).collect();
        let mut table = CsvText::new(once(COVARIANCE_KEY.name).chain(names.iter().copied()));
        for (name, row) in names.iter().zip(covariance.chunks(names.len())) {
            table.row(once(name.to_string()).chain(row.iter().map(|value| format!("{value:e}"))));
        }
        Some(table.text())
    }
}

impl Model {
    /// Returns the costs with the covariance of their errors, as a prior for another device; costs
    /// without an error are left out.
    pub fn as_priors(&self) -> CostPriors {
        let known = |j: &usize| self.costs[*j].se_j.is_some();
        let known: Vec<usize> = (0..self.costs.len()).filter(known).collect();
        let prior = |j: &usize| {
            let cost = &self.costs[*j];
            let operation = cost.operation.clone();
            Some(CostPrior { operation, cost_j: cost.cost_j, se_j: cost.se_j? })
        };
        let l = self.costs.len();
        let entry = |all: &[f64]| -> Vec<f64> {
            let k = known.len();
            (0..k * k).map(|at| all[known[at / k] * l + known[at % k]]).collect()
        };
        let covariance = self.covariance.as_deref().map(entry);
        let costs: Vec<CostPrior> = known.iter().filter_map(prior).collect();
        CostPriors { covariance, ..CostPriors::from(costs) }
    }
}

impl ContextPrice {
    /// Indexes relative costs by operation and context.
    pub fn index(prices: &[Self]) -> BTreeMap<(&str, &str), f64> {
        prices.iter().map(|p| ((p.operation.as_str(), p.context.as_str()), p.relative)).collect()
    }

    /// Reads the rows of the same text that have a `context`, with their `relative`
    /// cost; none where there are no such columns. Errors name the line.
    pub fn from_csv(text: &str) -> Result<Vec<Self>, ModelError> {
        let mut reader =
            csv_text::reader_with_settings(csv::ReaderBuilder::new().trim(csv::Trim::All), text);
        let headers = reader.headers().map_err(|error| prior_error(1, csv_error_text(&error)))?;
        if !["context", "relative"].iter().all(|name| headers.iter().any(|h| h == *name)) {
            return Ok(Vec::new());
        }
        let mut prices: Vec<Self> = Vec::new();
        for (row, price) in reader.deserialize().enumerate() {
            let price: PriceRow = price
                .map_err(|error| prior_error(line_of_error(&error), csv_error_text(&error)))?;
            let price = price.into_price();
            if !price.relative.is_finite() || price.relative < 0.0 {
                let message = format!("relative {} is no factor from 0 up", price.relative);
                return Err(prior_error(row as u64 + 2, message));
            }
            prices.push(price);
        }
        prices.retain(|price| !price.context.is_empty());
        Ok(prices)
    }
}

/// Columns on contexts of a row of `microbenchmarks.csv`.
#[derive(Deserialize)]
struct PriceRow {
    operation: String,
    context: String,
    relative: f64,
    relative_se: Option<f64>,
    cost_j: Option<f64>,
    se_j: Option<f64>,
}

impl PriceRow {
    /// Converts the row to a price; without an error of its own, the price has that of its cost.
    fn into_price(self) -> ContextPrice {
        let own = match (self.cost_j, self.se_j) {
            (Some(cost), Some(se)) if cost > 0.0 => Some(se / cost * self.relative),
            _ => None,
        };
        let known = |se: &f64| se.is_finite() && *se >= 0.0;
        let relative_se = self.relative_se.or(own).filter(known);
        let Self { operation, context, relative, .. } = self;
        ContextPrice { operation, context, relative, relative_se }
    }
}

fn parse(record: &csv::StringRecord, columns: [usize; 3]) -> Result<CostPrior, ModelError> {
    let [operation, cost, se] = columns.map(|column| record.get(column).unwrap_or_default());
    let line = line_of(record);
    let number = |name: &str, text: &str| match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => {
            let text = shortened(text);
            Err(prior_error(line, format!("{name} `{text}` is not a finite number of joules")))
        }
    };
    let (cost_j, se_j) = (number("cost_j", cost)?, number("se_j", se)?);
    if operation.is_empty() {
        return Err(prior_error(line, "the operation has no name".to_owned()));
    }
    if se_j < 0.0 {
        return Err(prior_error(line, format!("se_j {se_j} is below zero; give a standard error")));
    }
    Ok(CostPrior { operation: operation.to_owned(), cost_j, se_j })
}

fn prior_error(line: u64, message: String) -> ModelError {
    ModelError::Prior { line, message }
}

fn csv_error_text(error: &csv::Error) -> String {
    shortened(&error.to_string()).into_owned()
}

fn line_of(record: &csv::StringRecord) -> u64 {
    record.position().map_or(0, csv::Position::line)
}

fn line_of_error(error: &csv::Error) -> u64 {
    error.position().map_or(0, csv::Position::line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_columns_are_left_alone() {
        let text = "microbenchmark,operation,cost_j,se_j\nk1,Increment,1.5e-9,1e-11\n";
        let priors = CostPrior::from_csv(text).unwrap();
        assert_eq!((priors[0].operation.as_str(), priors[0].cost_j), ("Increment", 1.5e-9));
        let written = CostPrior::to_csv(&priors).unwrap();
        assert_eq!(written, "operation,cost_j,se_j\nIncrement,1.5e-9,1e-11\n");
        assert_eq!(CostPrior::from_csv(&written).unwrap(), priors);
    }

    #[test]
    fn microbenchmarks_say_in_how_many_places_they_were_measured() {
        let text = |column: &str, value: &str| {
            format!("operation,cost_j,se_j{column}\nNot,2,0.1{value}\nAnd,3,0.1{value}\n")
        };
        let read = |column, value| CostPriors::from_csv(&text(column, value));
        assert_eq!(read("", "").unwrap().places, 1);
        assert_eq!(read(",places", ",20").unwrap().places, 20);
        assert!(read(",places", ",many").unwrap_err().to_string().contains("2"));
    }

    #[test]
    fn contexts_are_prices_beside_their_operation() {
        let text = "operation,context,cost_j,se_j,relative\nNot,,2,0.1,1\nNot,value,3,0.2,1.5\n";
        assert_eq!(CostPrior::from_csv(text).unwrap().len(), 1);
        let prices = ContextPrice::from_csv(text).unwrap();
        let price = ContextPrice {
            operation: "Not".to_owned(),
            context: "value".to_owned(),
            relative: 1.5,
            relative_se: Some(0.2 / 3.0 * 1.5),
        };
        assert_eq!(prices, [price]);
        let text_with = text.replace("relative\n", "relative,relative_se\n");
        let text_with = text_with.replace(",1\n", ",1,0\n").replace(",1.5\n", ",1.5,0.3\n");
        assert_eq!(ContextPrice::from_csv(&text_with).unwrap()[0].relative_se, Some(0.3));
        let bad = text.replace("1.5", "-1.5");
        assert!(ContextPrice::from_csv(&bad).unwrap_err().to_string().contains("line 3"));
        assert_eq!(ContextPrice::from_csv("operation,cost_j,se_j\nNot,1,0\n").unwrap(), []);
    }

    #[test]
    fn a_covariance_goes_with_its_operations() {
        let text = "operation,cost_j,se_j\nNot,1,2\nAnd,3,1\n";
        let priors = CostPriors::from(CostPrior::from_csv(text).unwrap());
        let read = |text: &str| priors.clone().with_covariance_csv(text);
        let found = read("operation,And,Or,Not\nAnd,1,7,-1.5\nNot,-1.5,7,4\n").unwrap();
        assert_eq!(found.covariance.as_deref(), Some(&[4.0, -1.5, -1.5, 1.0][..]));
        let again = read(&found.covariance_csv().unwrap()).unwrap();
        assert_eq!(again, found);
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert!(message("operation,And\n").contains("no column `Not`"));
        assert!(message("operation,And,Not\nAnd,1,0\n").contains("no row `Not`"));
        assert!(message("operation,And,Not\nAnd,1,x\n").contains("line 2"));
    }

    #[test]
    fn bad_lines_are_named() {
        let message = |text: &str| CostPrior::from_csv(text).unwrap_err().to_string();
        assert!(message("operation,cost_j\n").contains("`se_j`"));
        assert!(message("operation,cost_j,se_j\nNot,1,0\nAnd,x,0\n").contains("line 3"));
        assert!(message("operation,cost_j,se_j\nNot,1,0\nNot,2,0\n").contains("twice"));
        assert!(message("operation,cost_j,se_j\nNot,1,-1\n").contains("below zero"));
    }
}
