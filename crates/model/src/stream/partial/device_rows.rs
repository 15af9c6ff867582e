//! Row source that records the boards of the rows it passes on.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::table::{BlockHandler, PassColumns, RowSource, TableError};

/// Row source that records the boards of the rows it passes on.
pub(super) struct DeviceTrackingRows<'r> {
    rows: &'r dyn RowSource,
    devices: RefCell<BTreeSet<String>>,
}

impl<'r> DeviceTrackingRows<'r> {
    pub(super) fn new(rows: &'r dyn RowSource) -> Self {
        Self { rows, devices: Default::default() }
    }

    pub(super) fn devices(self) -> Vec<String> {
        self.devices.into_inner().into_iter().collect()
    }
}

impl RowSource for DeviceTrackingRows<'_> {
    fn features(&self) -> &[String] {
        self.rows.features()
    }

    fn for_each_block(
        &self,
        wanted: PassColumns,
        take: BlockHandler<'_>,
    ) -> Result<(), TableError> {
        self.rows.for_each_block(wanted, &mut |block| {
            let mut devices = self.devices.borrow_mut();
            for i in 0..block.rows() {
                // A second board is one too many.
                if devices.len() < 2 && !devices.contains(block.device(i)) {
                    devices.insert(block.device(i).to_owned());
                }
            }
            take(block)
        })
    }
}
