//! A table that lies in one file or in several, as if it were one.

use std::ops::ControlFlow;

use wattline_units::limits::TABLE_FEATURES;

use super::block::{RowBlock, RowTexts};
use super::columns::{ColumnChoice, ColumnPositions, ColumnType, TableColumn, find_columns};
use super::error::TableError;
use super::rows::{BlockHandler, PassColumns, RowSource};

/// A file or a stream of a table.
pub trait TablePart {
    /// Returns the columns, in their order.
    fn columns(&self) -> Result<Vec<TableColumn>, TableError>;

    /// Returns a remark for the user on how the part is written; `None` for the usual way.
    fn remark(&self) -> Result<Option<String>, TableError> {
        Ok(None)
    }

    /// Reads the rows in blocks, which are numbered from the part's own first row; texts that are
    /// the same for the whole file are left out.
    fn for_each_block(
        &self,
        places: &ColumnPositions,
        wanted: PassColumns,
        fill: PartBlockHandler<'_>,
    ) -> Result<(), TableError>;
}

/// Function that handles a block of a part, and decides whether to go on.
pub type PartBlockHandler<'f> = &'f mut dyn FnMut(&mut RowBlock) -> ControlFlow<()>;

type OpenPart<'o> = Box<dyn Fn() -> Result<Box<dyn TablePart + 'o>, TableError> + 'o>;

/// A part that has not been opened.
pub struct UnopenedPart<'o> {
    name: String,
    constants: Vec<(String, String)>,
    open: OpenPart<'o>,
}

impl<'o> UnopenedPart<'o> {
    /// Creates a part from its name and a function that opens it.
    pub fn new(
        name: impl Into<String>,
        open: impl Fn() -> Result<Box<dyn TablePart + 'o>, TableError> + 'o,
    ) -> Self {
        Self { name: name.into(), constants: Vec::new(), open: Box::new(open) }
    }

    /// Adds columns that the folders of the part name, `device=B1` in their paths.
    pub fn with_constants(self, constants: Vec<(String, String)>) -> Self {
        Self { constants, ..self }
    }
}

/// A part that was opened, with the positions of its columns.
struct OpenedPart<'o> {
    part: Box<dyn TablePart + 'o>,
    columns: Vec<TableColumn>,
    places: ColumnPositions,
}

/// A table of one part or more, whose columns were found and checked.
pub struct TableRows<'o> {
    /// The first part stays open: a stream can't be opened again.
    first: Box<dyn TablePart + 'o>,
    sources: Vec<UnopenedPart<'o>>,
    columns: Vec<TableColumn>,
    places: ColumnPositions,
    features: Vec<String>,
}

impl<'o> TableRows<'o> {
    /// Finds the columns in the first part, and checks that all others have them.
    ///
    /// # Errors
    /// There is no part, one can't be opened, or columns are missing or differ.
    pub fn new(sources: Vec<UnopenedPart<'o>>, choice: &ColumnChoice) -> Result<Self, TableError> {
        let Some(source) = sources.first() else { return Err(TableError::NoRows) };
        let opened = (source.open)().and_then(|part| {
            let columns = part.columns()?;
            let places = find_columns(column_names(&columns), &source.constants, choice)?;
            check_kinds(&columns, &places)?;
            Ok(OpenedPart { part, columns, places })
        });
        let OpenedPart { part: first, columns, places } =
            opened.map_err(|error| with_part_name(source, sources.len(), error))?;
        check_features(places.features.len())
            .map_err(|error| with_part_name(source, sources.len(), error))?;
        let features = places.features.iter().map(|place| places.names[*place].clone()).collect();
        let all_others = choice.features.is_none() && choice.feature_names.is_none();
        let table = Self { first, sources, columns, places, features };
        for source in &table.sources[1..] {
            table
                .open(source)
                .and_then(|opened| match all_others {
                    true => table.check_no_more(&opened.columns, &opened.places, choice),
                    false => Ok(()),
                })
                .map_err(|error| with_part_name(source, table.sources.len(), error))?;
        }
        Ok(table)
    }

    /// Returns the name of the column that groups cases, if there is one.
    pub fn group(&self) -> Option<String> {
        self.places.group.map(|place| self.places.names[place].clone())
    }

    /// Whether a column has the board that a case was measured on.
    pub fn have_devices(&self) -> bool {
        self.places.device.is_some()
    }

    /// Returns remarks for the user: on how the first file is written, on units, on what is left
    /// out.
    ///
    /// # Errors
    /// Those of reading the first bytes.
    pub fn remarks(&self) -> Result<Vec<String>, TableError> {
        Ok(self.first.remark()?.into_iter().chain(self.places.remarks()).collect())
    }

    /// Opens a part and finds the columns in it.
    fn open(&self, source: &UnopenedPart<'o>) -> Result<OpenedPart<'o>, TableError> {
        let part = (source.open)()?;
        let columns = part.columns()?;
        let first = &self.sources[0].name;
        let places = self.places.in_file(column_names(&columns), &source.constants, first)?;
        let used = |places: &ColumnPositions| -> Vec<usize> {
            places.numbers().chain(places.texts()).chain(places.features.iter().copied()).collect()
        };
        for (here, there) in used(&places).into_iter().zip(used(&self.places)) {
            let (Some(here), Some(there)) = (columns.get(here), self.columns.get(there)) else {
                continue;
            };
            let any = here.kind == ColumnType::Any || there.kind == ColumnType::Any;
            if !any && here.kind != there.kind {
                return Err(TableError::TypeChanges {
                    column: here.name.clone(),
                    is: here.kind.name().to_owned(),
                    was: there.kind.name().to_owned(),
                    first: first.clone(),
                });
            }
        }
        Ok(OpenedPart { part, columns, places })
    }

    /// Refuses columns that the first part does not have, where features are all columns without a
    /// role.
    fn check_no_more(
        &self,
        columns: &[TableColumn],
        places: &ColumnPositions,
        choice: &ColumnChoice,
    ) -> Result<(), TableError> {
        let constants: Vec<(String, String)> = Vec::new();
        let Ok(own) = find_columns(column_names(columns), &constants, choice) else {
            return Ok(());
        };
        match own.features.iter().find(|place| !places.features.contains(place)) {
            None => Ok(()),
            Some(place) => Err(TableError::More {
                column: own.names[*place].clone(),
                first: self.sources[0].name.clone(),
            }),
        }
    }

    /// Reads the part `at`, before which `before` rows come; returns how many rows it has, and
    /// whether to go on.
    fn for_each_block_of(
        &self,
        at: usize,
        wanted: PassColumns,
        before: usize,
        take: BlockHandler<'_>,
    ) -> Result<(usize, ControlFlow<()>), TableError> {
        let source = &self.sources[at];
        let opened = if at > 0 { Some(self.open(source)?) } else { None };
        let (part, places) = match &opened {
            Some(opened) => (&opened.part, &opened.places),
            None => (&self.first, &self.places),
        };
        let constants = FolderConstants::new(source, places);
        let (mut rows, mut flow) = (0, ControlFlow::Continue(()));
        part.for_each_block(places, wanted, &mut |block| {
            constants.set(block);
            self.places.units.apply(block);
            rows += block.rows();
            block.first += before;
            flow = take(block);
            block.first -= before;
            flow
        })?;
        Ok((rows, flow))
    }
}

fn column_names(columns: &[TableColumn]) -> Vec<String> {
    columns.iter().map(|column| column.name.clone()).collect()
}

/// Adds the part's name to an error, where there are several.
fn with_part_name(source: &UnopenedPart<'_>, sources: usize, error: TableError) -> TableError {
    if sources > 1 { error.of_file(&source.name) } else { error }
}

/// Refuses more features than matrices of features by features may have.
fn check_features(count: usize) -> Result<(), TableError> {
    let remedy = "name fewer of them with --features";
    TABLE_FEATURES.check(count as u64).map_err(TableError::too_large(remedy))
}

/// Refuses columns of numbers that hold lists or dates.
fn check_kinds(columns: &[TableColumn], places: &ColumnPositions) -> Result<(), TableError> {
    let is_number =
        |kind: &ColumnType| matches!(kind, ColumnType::Any | ColumnType::Whole | ColumnType::Real);
    let bad = |place: usize, wanted: &'static str| TableError::Type {
        column: columns[place].name.clone(),
        is: columns[place].kind.name().to_owned(),
        wanted,
    };
    let mut numbers = places.numbers().chain(places.features.iter().copied());
    if let Some(place) = numbers.find(|place| !is_number(&columns[*place].kind)) {
        return Err(bad(place, "a column of numbers"));
    }
    let is_other = |place: &usize| matches!(columns.get(*place), Some(c) if matches!(c.kind, ColumnType::Other(_)));
    match places.texts().find(is_other) {
        None => Ok(()),
        Some(place) => Err(bad(place, "a column of text")),
    }
}

impl RowSource for TableRows<'_> {
    fn features(&self) -> &[String] {
        &self.features
    }

    fn for_each_block(
        &self,
        wanted: PassColumns,
        take: BlockHandler<'_>,
    ) -> Result<(), TableError> {
        let mut before = 0;
        for (at, source) in self.sources.iter().enumerate() {
            let read = self.for_each_block_of(at, wanted, before, take);
            let (rows, flow) =
                read.map_err(|error| with_part_name(source, self.sources.len(), error))?;
            before += rows;
            if flow.is_break() {
                break;
            }
        }
        if before == 0 { Err(TableError::NoRows) } else { Ok(()) }
    }
}

/// Texts that the folders of a file give for all of its rows.
struct FolderConstants {
    names: Option<RowTexts>,
    groups: Option<RowTexts>,
    devices: Option<RowTexts>,
}

impl FolderConstants {
    fn new(source: &UnopenedPart<'_>, places: &ColumnPositions) -> Self {
        let text = |place: Option<usize>| {
            let name = &places.names[place.filter(|place| *place >= places.own)?];
            let (_, text) = source.constants.iter().find(|(key, _)| key == name)?;
            Some(RowTexts::One(text.clone()))
        };
        Self { names: text(places.case), groups: text(places.group), devices: text(places.device) }
    }

    fn set(&self, block: &mut RowBlock) {
        for (texts, constant) in [
            (&mut block.names, &self.names),
            (&mut block.groups, &self.groups),
            (&mut block.devices, &self.devices),
        ] {
            if let Some(constant) = constant {
                *texts = Some(constant.clone());
            }
        }
    }
}
