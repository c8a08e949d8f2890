"""Whether the Lean that is about to prove a library again is the one that was installed."""

from __future__ import annotations

from engine.library.findings import finding
from engine.library.records import Finding
from verifier.kernel import second
from verifier.toolchain.embedded import inspection


def installation_findings(with_second_kernel: bool) -> list[Finding]:
    """Compares every byte of the embedded Lean, and of the second kernel, with its pin.

    An .olean file that was edited could say anything: it is read, and not proved again. This takes
    a second or two. The base library of the second kernel is compared whenever it is loaded.
    """
    components = inspection.verify_deep()
    if with_second_kernel:
        components.append(second.inspect(deep=True))
    return [
        finding("installation_damaged", component.name, f"{component.detail}, {component.path}")
        for component in components
        if component.state != "ok"
    ]
