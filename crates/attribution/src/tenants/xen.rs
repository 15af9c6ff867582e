//! Xen traces as XeMPower's tools write them: one CSV file per event, or one of all events
//! with the event's number before each row.
//!
//! | event | columns after `TSC,CPU,DOM,vCPU` |
//! |---|---|
//! | 0x0100f001 | `PKG,PP0,PP1,DRAM`: raw RAPL counters |
//! | 0x0100f002 | `INSTR_RETIRED.ANY,CPU_CLK_UNHALTED.CORE,CPU_CLK_UNHALTED` |
//! | 0x0100f003 | last-level cache and branches |
//!
//! `DOM` is the domain that leaves; counters are cleared at every switch.

use std::rc::Rc;

use super::meter::MeterId;
use super::names::{TenantId, TenantNames};
use super::record::{Counts, OTHER_COUNTERS, RunningTenant, TenantRecord};

/// Number of Xen's idle domain.
const IDLE_DOMAIN: u64 = 32_767;
/// Columns that every event has.
const COMMON_COLUMNS: [&str; 4] = ["TSC", "CPU", "DOM", "vCPU"];
const CYCLES_EVENT: &str = "CPU_CLK_UNHALTED.CORE";
const POWER_PLANES: [&str; 4] = ["PKG", "PP0", "PP1", "DRAM"];

/// Error of reading a file of Xen's traces.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XenError {
    /// The first line is neither a header nor a row with an event.
    #[error(
        "line 1 is {0:?}: neither a header like TSC,CPU,DOM,vCPU,PKG,PP0,PP1,DRAM nor a row \
         with an event's number, 0x0100f001 to 0x0100f003, before it"
    )]
    Header(String),
    /// A plane that RAPL does not have.
    #[error("there is no RAPL plane {0:?}: pkg, pp0, pp1 and dram")]
    Plane(String),
}

/// Columns of one event.
#[derive(Debug, Clone, PartialEq)]
struct EventColumns {
    /// Positions of the planes, in the order of the meters.
    planes: Vec<usize>,
    cycles: Option<usize>,
    /// Positions of other counters, and their numbers in the stream.
    others: Vec<(usize, usize)>,
}

/// Format of a file's rows: the columns of its event, or an event's number in each row.
#[derive(Debug, Clone, PartialEq)]
pub struct XenFile {
    columns: Option<EventColumns>,
    is_first: bool,
}

/// Reader of rows that turns them into records.
#[derive(Debug, Clone)]
pub struct XenReader {
    tsc_hz: u64,
    /// The planes to be shared, as the columns spell them.
    planes: Vec<String>,
    counters: Vec<String>,
    has_cycles: bool,
    is_mixed: bool,
    /// Columns by event, where rows carry its number.
    events: [Option<Rc<EventColumns>>; 4],
}

impl XenReader {
    /// Creates a reader from the frequency of the time stamp counter in Hz and the power planes:
    /// `pkg`, `dram`, ...
    ///
    /// # Errors
    /// A plane that there is not.
    pub fn new(tsc_hz: u64, planes: &[&str]) -> Result<Self, XenError> {
        let plane = |name: &&str| {
            let found = POWER_PLANES.iter().find(|plane| plane.eq_ignore_ascii_case(name));
            found.map(|plane| (*plane).to_owned()).ok_or(XenError::Plane((*name).to_owned()))
        };
        let planes = planes.iter().map(plane).collect::<Result<_, _>>()?;
        let (counters, tsc_hz) = (Vec::new(), tsc_hz.max(1));
        let events = Default::default();
        Ok(Self { tsc_hz, planes, counters, has_cycles: false, is_mixed: false, events })
    }

    /// Returns the planes, in the order of their meters' numbers.
    #[must_use]
    pub fn planes(&self) -> &[String] {
        &self.planes
    }

    /// Returns the names of the counters beside the cycles.
    #[must_use]
    pub fn counters(&self) -> &[String] {
        &self.counters
    }

    /// Whether any file counts unhalted cycles; otherwise energy is shared by CPU time.
    #[must_use]
    pub fn has_cycles(&self) -> bool {
        self.has_cycles
    }

    /// Reads a file's first line and returns its format. All files must be opened before rows are
    /// read.
    ///
    /// # Errors
    /// A line that is neither a header nor a row.
    pub fn open(&mut self, first_line: &str) -> Result<XenFile, XenError> {
        let line = first_line.trim();
        if split_event_number(line).is_some() {
            (self.is_mixed, self.has_cycles) = (true, true);
            return Ok(XenFile { columns: None, is_first: false });
        }
        let header: Vec<&str> = line.split(',').map(str::trim).collect();
        if !header.starts_with(&COMMON_COLUMNS) || header.len() == COMMON_COLUMNS.len() {
            let shown: String = line.chars().take(80).collect();
            return Err(XenError::Header(shown));
        }
        let columns = self.add_event_columns(&header);
        self.has_cycles |= columns.cycles.is_some();
        Ok(XenFile { columns: Some(columns), is_first: true })
    }

    fn add_event_columns(&mut self, header: &[&str]) -> EventColumns {
        let at = |name: &str| header.iter().position(|column| *column == name);
        let planes: Vec<usize> = self.planes.iter().filter_map(|plane| at(plane)).collect();
        let mut others = Vec::new();
        for (position, name) in header.iter().enumerate().skip(COMMON_COLUMNS.len()) {
            if POWER_PLANES.contains(name) || *name == CYCLES_EVENT {
                continue;
            }
            let known = self.counters.iter().position(|counter| counter == name);
            let number = known.unwrap_or_else(|| {
                self.counters.push((*name).to_owned());
                self.counters.len() - 1
            });
            if number < OTHER_COUNTERS {
                others.push((position, number));
            }
        }
        self.counters.truncate(OTHER_COUNTERS);
        EventColumns { planes, cycles: at(CYCLES_EVENT), others }
    }

    /// Returns the time stamp of a row, by which files are merged.
    #[must_use]
    pub fn time_stamp(line: &str) -> Option<u64> {
        let row = split_event_number(line).map_or(line, |(_, row)| row);
        row.split(',').next()?.trim().parse().ok()
    }

    /// Reads a row and gives its record to `take`; false if the line is no row.
    pub fn read_row(
        &mut self,
        file: &mut XenFile,
        line: &str,
        names: &mut TenantNames,
        take: impl FnMut(TenantRecord),
    ) -> bool {
        let line = line.trim();
        if std::mem::take(&mut file.is_first) || line.is_empty() {
            return true;
        }
        match (&file.columns, split_event_number(line)) {
            (Some(columns), None) => self.read_fields(columns, line, names, take).is_some(),
            (_, Some((number, row))) => {
                let columns = self.event_columns(number);
                self.read_fields(&columns, row, names, take).is_some()
            }
            (None, None) => false,
        }
    }

    /// Returns the columns of an event, in a file whose rows begin with its number.
    fn event_columns(&mut self, number: u32) -> Rc<EventColumns> {
        if let Some(Some(columns)) = self.events.get(number as usize) {
            return Rc::clone(columns);
        }
        let header: &[&str] = match number {
            1 => &["PKG", "PP0", "PP1", "DRAM"],
            2 => &["INSTR_RETIRED.ANY", CYCLES_EVENT, "CPU_CLK_UNHALTED"],
            _ => &["LLC_REF", "LLC_MISS", "BRANCH_INSTR_RETIRED", "BRANCH_MISS_RETIRED"],
        };
        let columns = Rc::new(self.add_event_columns(&[&COMMON_COLUMNS[..], header].concat()));
        if let Some(slot) = self.events.get_mut(number as usize) {
            *slot = Some(Rc::clone(&columns));
        }
        columns
    }

    fn read_fields(
        &self,
        columns: &EventColumns,
        row: &str,
        names: &mut TenantNames,
        mut take: impl FnMut(TenantRecord),
    ) -> Option<()> {
        let mut values = [0_u64; 16];
        let mut count = 0;
        for (field, value) in row.split(',').zip(&mut values) {
            *value = field.trim().parse().ok()?;
            count += 1;
        }
        let width = columns.planes.iter().chain(&columns.cycles);
        let width = width.chain(columns.others.iter().map(|(at, _)| at)).max();
        // A record with a time stamp of 0 was never filled in.
        if count < COMMON_COLUMNS.len()
            || width.is_some_and(|width| *width >= count)
            || values[0] == 0
        {
            return None;
        }
        let at_ns = u128::from(values[0]) * 1_000_000_000 / u128::from(self.tsc_hz);
        let (at_ns, cpu) = (u64::try_from(at_ns).ok()?, u32::try_from(values[1]).ok()?);
        for (meter, position) in columns.planes.iter().enumerate() {
            let reading = values[*position];
            take(TenantRecord::Energy { at_ns, meter: MeterId(meter), reading });
        }
        let is_rapl = !columns.planes.is_empty();
        let is_switch = columns.cycles.is_some() || (!self.has_cycles && !self.is_mixed);
        if is_rapl && !is_switch {
            return Some(());
        }
        let outgoing = domain_tenant(values[2], values[3], names);
        let mut counts = Counts { cycles: None, others: [0.0; OTHER_COUNTERS] };
        counts.cycles = columns.cycles.map(|position| values[position] as f64);
        for (position, number) in &columns.others {
            counts.others[*number] = values[*position] as f64;
        }
        let counts = (!is_rapl).then_some(counts);
        take(match is_switch {
            true => TenantRecord::Switch {
                at_ns,
                cpu,
                outgoing: Some(outgoing),
                incoming: None,
                counts,
            },
            // The cycles of the same switch are in another file.
            false => TenantRecord::Use {
                start_ns: at_ns,
                end_ns: at_ns,
                tenant: outgoing.tenant,
                cpu_ns: 0.0,
                counts,
            },
        });
        Some(())
    }
}

/// Splits `0x0100f002,TSC,...`, also with spaces after the number, into the event's last digit and
/// the row.
fn split_event_number(line: &str) -> Option<(u32, &str)> {
    let rest = line.strip_prefix("0x")?;
    let end = rest.find(|c: char| !c.is_ascii_hexdigit())?;
    let number = u32::from_str_radix(&rest[..end], 16).ok()?;
    let row = rest[end..].trim_start_matches([',', ' ', '\t']);
    (0x0100_f001..=0x0100_f003).contains(&number).then_some((number & 0xf, row))
}

fn domain_tenant(domain: u64, vcpu: u64, names: &mut TenantNames) -> RunningTenant {
    let thread = ((domain & 0xffff_ffff) << 16 | (vcpu & 0xffff)) as i64;
    let tenant = match domain {
        IDLE_DOMAIN => TenantId::IDLE,
        domain => names.id(&format!("domain {domain}")),
    };
    RunningTenant { tenant, thread }
}
