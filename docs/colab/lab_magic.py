"""The course in a notebook: `%lab` runs ./lab, and a cell that begins with `%%lab 1` is the student's file of lab 1.

The set-up cell of cuda_event_labs.ipynb loads this from the checkout and calls set_up().
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

from IPython import get_ipython
from IPython.display import Markdown, display

# The first line of a student's file stands for that of the cell, so that both count lines alike.
CELL_LINE = "// %%lab "


def set_up(checkout, on_drive=False):
    """Builds what is stale and makes %lab known. Gives "", or a sentence that says what is wrong."""
    try:
        work = work_folder(on_drive)
    except Exception as error:  # whatever google.colab raises: refused by the user, timed out, ...
        return f"Your Google Drive could not be reached ({error}). Untick keep_on_drive, or run this cell again."
    os.environ.update(LAB_STATE=str(work), LC_ALL="C.UTF-8", COLUMNS="100")
    course = Course(Path(checkout), work)
    if course.run("setup") != 0:
        return "The course could not be built; the reason stands above."
    get_ipython().register_magic_function(course.magic, "line_cell", "lab")
    print(f"Your files and your progress: {work}\n")
    course.run()
    return ""


def work_folder(on_drive):
    """Where the student's files and progress are kept: outside the checkout."""
    if not on_drive:
        return (Path("/content") if Path("/content").is_dir() else Path.home()) / "cuda-event-labs-work"
    from google.colab import drive

    drive.mount("/content/drive")
    return Path("/content/drive/MyDrive/cuda-event-labs")


class Course:
    """A checkout, and the folder that holds what is the student's."""

    def __init__(self, checkout, work):
        self.checkout = checkout
        self.work = work
        self.written = {}  # by cells, as they last did

    def magic(self, line, cell=None):
        """%lab COMMAND runs ./lab COMMAND. Beside what ./lab can do: %lab read LAB, %lab edit LAB, %lab open LAB.

        A cell that begins with %%lab LAB is the student's file of that lab: running it saves the file and judges it.
        """
        try:
            words = shlex.split(line)
        except ValueError as error:
            print(f"%lab {line}: {error}")
            return
        if cell is not None:
            self.judge_cell(line.strip(), words, cell)
        elif words and words[0] in ("read", "edit", "open"):
            folder = self.lab_folder(words[1:])
            if folder:
                getattr(self, words[0])(folder)
        else:
            self.run(*words)

    def run(self, *arguments):
        """./lab, shown as it speaks. Gives its exit code: a check that fails is no error of the notebook."""
        # Colab preloads a malloc of its own; the programs for the emulated GPU have one.
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        process = subprocess.Popen(
            [self.checkout / "lab", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        try:
            for text in process.stdout:
                print(text if arguments[:1] == ("run",) else as_magic(text), end="", flush=True)
        except KeyboardInterrupt:
            process.terminate()
            print("Stopped.")
        return process.wait()

    def lab_folder(self, words):
        """labs/NN_topic for a number or a folder's name; where there is none, says which there are."""
        if len(words) == 1:
            for folder in sorted((self.checkout / "labs").glob("[0-9]*")):
                number = folder.name.split("_")[0]
                if words[0] == folder.name or words[0].isdecimal() and int(words[0]) == int(number):
                    return folder
        print(f'Which lab? "{" ".join(words)}" is none; say its number.')
        self.run()
        return None

    def student_file(self, folder):
        return self.work / "labs" / folder.name / "student.cu"

    def text_of(self, folder):
        """The student's file as a cell has it; the starter, where there is none yet."""
        file = self.student_file(folder)
        text = (file if file.exists() else folder / "starter.cu").read_text(encoding="utf-8")
        return text.partition("\n")[2] if text.startswith(CELL_LINE) else text

    def read(self, folder):
        """Shows the handout, and the contract that it points to."""
        handout = (folder / "README.md").read_text(encoding="utf-8")
        # Links into the checkout lead nowhere here.
        handout = re.sub(r"\[([^\]]+)\]\((?!https?:|#)[^)]*\)", r"`\1`", as_magic(handout))
        contract = (folder / "exercise.hpp").read_text(encoding="utf-8")
        display(Markdown(f"{handout}\n\n## exercise.hpp\n\n```cpp\n{contract}```\n"))

    def edit(self, folder):
        """Turns the cell into one that holds the student's file."""
        number = int(folder.name.split("_")[0])
        get_ipython().set_next_input(f"%%lab {number}\n{self.text_of(folder)}", replace=True)
        print(
            f"Your file of lab {number} is in the cell: edit it, and run the cell to have it judged.\n"
            f"If no cell shows it: %lab open {number} opens it in Colab's editor, and %lab check {number} judges it."
        )

    def open(self, folder):
        """Opens the student's file in Colab's editor; elsewhere, says where it is."""
        file = self.student_file(folder)
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self.text_of(folder), encoding="utf-8")
        print(f"Your file is {file}: edit and save it, then: %lab check {int(folder.name.split('_')[0])}")
        try:
            from google.colab import files
        except ImportError:
            return
        files.view(str(file))

    def judge_cell(self, line, words, cell):
        """Writes the cell to the student's file, and has it judged."""
        folder = self.lab_folder(words[:1])
        if not folder:
            return
        if not cell.strip():
            print("There is no program in this cell: nothing was written. The starter: %lab edit", words[0])
            return
        file = self.student_file(folder)
        text = f"{CELL_LINE}{line}\n{cell}"
        if file.exists():
            known = (text, self.written.get(file), (folder / "starter.cu").read_text(encoding="utf-8"))
            if file.read_text(encoding="utf-8") not in known:
                print(f"The file had been changed elsewhere; as it was, it is kept as {keep(file).name}.")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        self.written[file] = text
        self.run("check", *words)


def as_magic(text):
    """What a shell calls ./lab is %lab in a cell; a line for a shell, with a variable in front, stays one."""
    return re.sub(r"(LAB_\S+ )?(?<![\w/])\./lab\b(?![/.])", lambda found: found[0] if found[1] else "%lab", text)


def keep(file):
    """Sets a file aside, under the name that `lab reset` would give it."""
    number = 1
    while (kept := file.with_name(f"{file.name}.bak-{number}")).exists():
        number += 1
    return file.rename(kept)
