"""Which kernels a verdict needs, by the user's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.settings import Settings
from verifier.progress import Progress

if TYPE_CHECKING:
    from verifier.kernel.second import SecondKernel
    from verifier.toolchain.embedded.process import Installed


def second_kernel(
    settings: Settings, lean: Installed, progress: Progress | None = None
) -> SecondKernel | None:
    """The second kernel with its base library at hand, or ``None`` where it is switched off.

    Args:
        settings: Say whether there is one.
        lean: Writes the base library the first time.
        progress: Watches that, which takes half a minute.

    Raises:
        ToolchainError: It is wanted and not installed.
        StorageError: The base library cannot be written.
    """
    if settings.second_kernel == "off":
        return None
    from verifier.kernel.second import SecondKernel
    from verifier.session import Session

    kernel = SecondKernel(lambda: Session(lean), progress)
    kernel.ensure_base()
    return kernel
