#!/usr/bin/env python3
"""Runs the notebook cell by cell on the emulated GPU, as a student would; ends with 77 where nbclient is missing.

  notebook_test.py CHECKOUT BUILDS PRESET VERSION
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

try:
    import ipykernel  # noqa: F401  (the kernel, which is started by its name)
    import nbclient
    import nbformat
except ImportError as missing:
    print(f"skipped: {missing}; on Debian: apt-get install python3-nbclient python3-ipykernel")
    sys.exit(77)

checkout, builds, preset, version = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
if preset not in ("gcc", "clang"):
    print(f"skipped: ./lab knows builds that are called gcc or clang, and this one is called {preset}")
    sys.exit(77)

notebook_file = checkout / "docs/colab/cuda_event_labs.ipynb"
failures = 0


def expect(condition, what, output=""):
    global failures
    if not condition:
        failures += 1
        print(f"not so: {what}\n{output}")


class Session:
    """A kernel with the notebook's cells, and somebody who fills in forms and edits."""

    def __init__(self):
        self.notebook = nbformat.read(notebook_file, as_version=4)
        self.replies = []
        self.client = nbclient.NotebookClient(
            self.notebook,
            timeout=300,
            kernel_name="python3",
            allow_errors=True,
            on_cell_executed=lambda **told: self.replies.append(told["execute_reply"]),
        )

    def __enter__(self):
        self.kernel = self.client.setup_kernel()
        self.kernel.__enter__()
        return self

    def __exit__(self, *reason):
        self.kernel.__exit__(*reason)

    def cell(self, name):
        return next(cell for cell in self.notebook.cells if cell.id == name)

    def run(self, name, **form):
        """Runs a cell with the fields of its form filled in; gives what a reader sees, and whether it is an error."""
        cell = self.cell(name)
        for field, value in form.items():
            line = re.compile(rf"^{field} = .*?(?=  #@param)", re.MULTILINE)
            cell.source, found = line.subn(lambda _: f"{field} = {value!r}", cell.source)
            expect(found == 1, f"the cell {name} has no field {field}")
        cell.outputs = []
        self.client.execute_cell(cell, self.notebook.cells.index(cell))
        for change in self.replies[-1]["content"].get("payload", []):
            if change["source"] == "set_next_input" and change["replace"]:
                cell.source = change["text"]
        return shown(cell.outputs), any(output.output_type == "error" for output in cell.outputs)

    def run_text(self, text):
        self.cell("file").source = text
        return self.run("file")


def shown(outputs):
    texts = []
    for output in outputs:
        if output.output_type == "stream":
            texts.append(output.text)
        elif output.output_type == "error":
            texts.append("\n".join(output.traceback))
        else:
            texts.append(output.data.get("text/markdown", output.data.get("text/plain", "")))
    return "".join(texts)


def the_file_is_clean():
    text = notebook_file.read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    expect((notebook.nbformat, notebook.nbformat_minor) == (4, 5), "the notebook has format 4.5")
    for cell in notebook.cells:
        if cell.cell_type == "code":
            expect(not cell.outputs and cell.execution_count is None, f"the cell {cell.id} holds no outputs")
    as_jupyter_does = json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"
    expect(text == as_jupyter_does, "the notebook is written as Jupyter writes it")
    fetch = next(cell.source for cell in notebook.cells if cell.id == "fetch")
    expect(f'tag = "v{version}"' in fetch, f"the notebook is pinned to the tag of this version, v{version}")


def a_student_works(session):
    output, wrong = session.run("fetch", repository=str(checkout))
    expect(not wrong and "lab: ready" in output and "then: %lab check 1" in output, "set-up works", output)
    output, wrong = session.run("fetch")
    expect(not wrong and "lab: ready" in output, "set-up works twice", output)

    output, wrong = session.run("doctor")
    expect(not wrong and "the emulated T4" in output, "doctor tells the device", output)

    for folder in sorted((checkout / "labs").glob("[0-9]*")):
        output, wrong = session.run("read", lab=int(folder.name.split("_")[0]))
        handout = (folder / "README.md").read_text(encoding="utf-8")
        expect(not wrong and handout.splitlines()[0] in output, f"the handout of {folder.name}", output)
        expect("](exercise.hpp)" not in output and "./lab " not in output, "nothing that leads nowhere here", output)
        contract = (folder / "exercise.hpp").read_text(encoding="utf-8")
        expect(contract in output, f"the contract of {folder.name}", output)
    session.run("read", lab=1)

    output, wrong = session.run("file")
    starter = (checkout / "labs/01_timing_pitfalls/starter.cu").read_text(encoding="utf-8")
    source = session.cell("file").source
    expect(source == "%%lab 1\n" + starter, "the cell turns into the starter", source)
    output, wrong = session.run("file")
    expect(not wrong and "✗" in output, "the starter fails, without looking like a crash", output)
    expect("Next hint: %lab hint 1" in output, "what to do next is said for a cell", output)
    output, wrong = session.run("command", command="hint")
    expect(not wrong and output, "a hint", output)
    output, wrong = session.run("command", command="solution")
    expect(not wrong and "--anyway" in output, "the solution has to wait", output)

    output, wrong = session.run_text("%%lab 1\n" + starter.replace("(end - begin)", "(end begin)", 1))
    line = session.cell("file").source.split("\n").index("  return milliseconds(end begin);") + 1
    expect(not wrong and f"student.cu:{line}:" in output, f"a compile error with its line in the cell, {line}", output)

    solution = (checkout / "solutions/01_timing_pitfalls/solution.cu").read_text(encoding="utf-8")
    output, wrong = session.run_text("%%lab 1\n" + solution)
    expect(not wrong and "✗" not in output and "✓" in output, "the solution passes", output)
    kept = Path(os.environ["HOME"], "cuda-event-labs-work/labs/01_timing_pitfalls/student.cu")
    expect(kept.read_text(encoding="utf-8") == "// %%lab 1\n" + solution, "the student's file is the cell")
    output, wrong = session.run("command", command="check")
    expect(not wrong and "✗" not in output and "✓" in output, "check judges the file", output)
    output, wrong = session.run("command", command="solution")
    expect(not wrong and "cudaStreamSynchronize" in output, "the solution is shown", output)

    kept.write_text("// mine\n", encoding="utf-8")
    output, wrong = session.run("file")
    backup = kept.with_name("student.cu.bak-1")
    expect(backup.name in output and backup.read_text() == "// mine\n", "another edit is kept", output)
    for text, sentence in (
        ("%%lab 1\n\n", "There is no program in this cell"),
        ("%%lab 77\nint main() {}\n", '"77" is none'),
        ("%lab read", "Which lab?"),
        ('%lab hint "1', "No closing quotation"),
        ("%lab nonsense", "nonsense"),
        ("%lab open 2", "02_stream_waits/student.cu"),
    ):
        output, wrong = session.run_text(text)
        expect(not wrong and "Traceback" not in output and sentence in output, f"{text!r} is answered by a sentence", output)

    session.run_text("import os; os.environ['LD_PRELOAD'] = '/nowhere/libmalloc.so'")
    output, wrong = session.run_text("%lab")
    expect(not wrong and "LD_PRELOAD" not in output, "nothing is preloaded into the course's programs", output)
    session.run_text("del os.environ['LD_PRELOAD']")

    session.run("write")
    output, wrong = session.run("program")
    expect(not wrong and "0 1 4 9 16 25 36 49" in output, "a program of one's own", output)

    stop = threading.Timer(3, lambda: os.killpg(session.client.km.provisioner.pgid, signal.SIGINT))
    stop.start()
    output, wrong = session.run_text("%lab watch 1")
    expect(not wrong and "Stopped." in output, "what is stopped ends with a word", output)


def set_up_fails_with_a_sentence(session, work):
    def fails(expected, **form):
        output, wrong = session.run("fetch", keep_on_drive=False, **form)
        expect(wrong and re.search(expected, output), f"/{expected}/ is said", output)
        expect("Traceback" not in output and len(output) < 500, "it is a sentence", output)

    fails("Write the address", repository="", tag="v1")
    fails("cannot be reached: is there a network", repository="https://course.invalid/labs.git", tag="v1")
    fails("There is no course at file:///nowhere", repository="file:///nowhere", tag="v1")
    fails("holds no course", repository=str(work))

    # A course that is fetched: the magic as it is, and a ./lab that has nothing to build.
    made = work / "made"
    (made / "docs/colab").mkdir(parents=True)
    (made / "labs").mkdir()
    shutil.copy(checkout / "docs/colab/lab_magic.py", made / "docs/colab")
    git = ["git", "-C", str(made), "-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run([*git, "init", "-q"], check=True)
    for tag, answer in (("v1", "echo lab: ready"), ("v2", "echo lab: no apt here; exit 69")):
        (made / "lab").write_text(f"#!/bin/sh\n{answer}\n")
        (made / "lab").chmod(0o755)
        for command in (["add", "."], ["commit", "-q", "-m", tag], ["tag", tag]):
            subprocess.run([*git, *command], check=True)
    address = made.as_uri()
    fails(f'There is no tag "v3" at {address}', repository=address, tag="v3")
    for again in range(2):
        output, wrong = session.run("fetch", repository=address, tag="v1")
        expect(not wrong and "lab: ready" in output, f"a course is fetched, run {again}", output)
    fails("lab: no apt here\nThe course could not be built", repository=address, tag="v2")
    fails("was fetched from file://.*remove it: !rm -r ", repository="file:///elsewhere", tag="v1")
    output, wrong = session.run("fetch", repository=address, tag="v1", keep_on_drive=True)
    expect(wrong and "Your Google Drive could not be reached" in output, "no Drive here", output)


the_file_is_clean()
with tempfile.TemporaryDirectory() as home:
    for name in list(os.environ):
        if name.startswith(("LAB_", "JUPYTER", "IPYTHON", "XDG_")) or name.lower().endswith("_proxy"):
            del os.environ[name]
    os.environ.update(HOME=home, LAB_BUILD=builds, LAB_PRESET=preset, PYDEVD_DISABLE_FILE_VALIDATION="1")
    os.chdir(home)
    with Session() as session:
        a_student_works(session)
    with Session() as session:
        set_up_fails_with_a_sentence(session, Path(home))
print("all as it should be" if failures == 0 else f"{failures} not as they should be")
sys.exit(failures != 0)
