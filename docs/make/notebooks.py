"""Execution of the notebooks of `examples/`, so that they are saved with what their cells print and draw."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "notebooks"
_MOST = 1800  # seconds for one cell


def run_notebooks() -> None:
    """Run every notebook from its first cell to its last, and save it with its outputs.

    Raises:
        nbclient.exceptions.CellExecutionError: A cell raises an error; its notebook stays as it was.
    """
    import nbformat
    from nbclient import NotebookClient

    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = nbformat.read(path, 4)
        NotebookClient(notebook, timeout=_MOST, kernel_name="python3", record_timing=False).execute()
        notebook.metadata["language_info"] = {"name": "python"}  # the version would differ between machines
        for cell in notebook.cells:
            for output in cell.get("outputs", ()):
                output.get("data", {}).pop("image/jpeg", None)  # the same picture as the PNG
        nbformat.write(notebook, path)
        print(f"ran {path}")
