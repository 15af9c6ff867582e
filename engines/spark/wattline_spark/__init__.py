"""Apache Spark distributes wattline.

Spark reads, distributes, retries and stores; each task runs the program `wattline` on its
part. No energy is computed here. Sums over parts of a table become one model (`fit`), parts
of a scan one set of tables (`scan`), recordings rows of energy by tenant
(`tenants`) or by component and activity (`activities`).
"""

from .activities import activities
from .fit import Fitted, fit
from .program import MissingProgram, ProgramError
from .scan import scan
from .tenants import tenants

__all__ = ["activities", "Fitted", "MissingProgram", "ProgramError", "fit", "scan", "tenants"]
