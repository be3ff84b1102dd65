"""Integers whose instructions were charged, and where those stand that several branches need."""

from __future__ import annotations

from dataclasses import dataclass

from roofline_analysis.device.values import Value
from roofline_analysis.regions.kernel_summary import Region, Site, Work


@dataclass(slots=True, eq=False)
class ChargedInteger:
    """An integer whose own instructions, its operands' left out, were charged to a region."""

    value: Value
    operands: tuple[Value, ...]
    home: Region
    site: Site
    amount: float

    def move_to_common(self, home: Region) -> Region | None:
        """Move the charge to where a use in ``home`` sees it, too; None if a loop stands between.

        A value that was computed before a condition is computed there if more than one branch or
        what follows it needs it: compilers sink it into a branch that alone does.
        """
        around = {id(region) for region in home.ancestors()}
        common = next(region for region in self.home.ancestors() if id(region) in around)
        if common.innermost_loop is not self.home.innermost_loop:
            return None
        self.home.charge(self.site, Work.INT, -self.amount)
        common.charge(self.site, Work.INT, self.amount)
        self.home = common
        return common
