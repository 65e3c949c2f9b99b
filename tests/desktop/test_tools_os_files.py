"""Tools for folders, the trash, pictures and videos, checked through the harness, with gio, and
here with Pillow and pypdf.
"""

import io

import pypdf
import pytest
from PIL import Image, ImageDraw

from ambidex.host.client.answers import NoSuchFileError
from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, read, refused

HOME = "/home/user"


def tree(guest: Guest, path: str) -> dict[str, str]:
    """Every file below a folder with its text, and every link."""
    listed = read(guest, "find", f"{HOME}/{path}", "!", "-type", "d", "-printf", "%y %P\\n")
    result = dict[str, str]()
    for line in sorted(listed.splitlines()):
        kind, _, name = line.partition(" ")
        result[name] = guest.get(f"~/{path}/{name}").decode() if kind == "f" else kind
    return result


def there(guest: Guest, path: str) -> bool:
    return guest.run(["test", "-e", f"{HOME}/{path}"]).returncode == 0


@proves(
    "find and the harness read the copies",
    os_copy_matching_files_with_hierarchy="the same files at the same places, no link followed",
)
def test_matching_files_are_copied_with_their_folders(guest: Guest) -> None:
    for name in ("a failed.ipynb", "deep/ж 🎉/b failed.ipynb", "deep/other.txt", "deep/FAILED.md"):
        guest.put(f"~/nb/{name}", name.encode())
    read(guest, "ln", "-s", "/etc/passwd", f"{HOME}/nb/link failed.ipynb")
    read(guest, "ln", "-s", "/etc", f"{HOME}/nb/outside")
    arguments = {"root_dir": "~/nb", "dest_dir": "~/nb/fails", "pattern": "*failed.ipynb"}
    copy = "os_copy_matching_files_with_hierarchy"
    dry = done(guest, copy, **arguments, dry_run=True)
    assert sorted(dry["files"]) == ["a failed.ipynb", "deep/ж 🎉/b failed.ipynb"]
    assert (dry["copied"], dry["links"], there(guest, "nb/fails")) == (0, 1, False)
    assert done(guest, copy, **arguments)["copied"] == 2
    copied = {name: name for name in ("a failed.ipynb", "deep/ж 🎉/b failed.ipynb")}
    assert tree(guest, "nb/fails") == copied
    again = done(guest, copy, **arguments)  # the destination, inside the tree, is not copied itself
    assert (again["matching"], again["copied"], again["identical"]) == (2, 0, 2)
    guest.put("~/nb/a failed.ipynb", b"changed")
    guest.put("~/nb/c failed.ipynb", b"new")
    code, text = refused(guest, copy, **arguments)
    assert code == "exists"
    assert "a failed.ipynb" in text
    assert tree(guest, "nb/fails") == copied
    assert done(guest, copy, **arguments, overwrite=True)["copied"] == 2
    assert tree(guest, "nb/fails") == {
        **copied, "a failed.ipynb": "changed", "c failed.ipynb": "new"
    }  # fmt: skip
    read(guest, "mkdir", "-p", f"{HOME}/trap", f"{HOME}/elsewhere")
    read(guest, "ln", "-s", f"{HOME}/elsewhere", f"{HOME}/trap/deep")
    assert refused(guest, copy, **{**arguments, "dest_dir": "~/trap"})[0] == "link"
    assert not there(guest, "elsewhere/ж 🎉")
    assert refused(guest, copy, root_dir="~/nowhere")[0] == "not_found"


@proves(
    "find lists the tree",
    os_search_files="names and contents that hold the keyword, in any case and script",
    os_rename_directory="the tree is at its new place and nothing at the old",
)
def test_files_are_found_and_folders_renamed(guest: Guest) -> None:
    guest.put("~/s/todo_list_Jan_1/Отчёт 1.txt", b"nothing")
    guest.put("~/s/todo_list_Jan_1/b.txt", "the ОТЧЁТ is late".encode())
    read(guest, "ln", "-s", "/", f"{HOME}/s/loop")

    def found(**given: object) -> list[str]:
        listed = done(guest, "os_search_files", **given)
        assert listed["left_out"] == 0
        return sorted(entry["path"].removeprefix(f"{HOME}/s/") for entry in listed["entries"])

    assert found(keyword="отчёт", root_dir="~/s") == ["todo_list_Jan_1/Отчёт 1.txt"]
    assert len(found(keyword="отчёт", root_dir="~/s", contents=True)) == 2
    assert found(keyword="passwd", root_dir="~/s") == []
    assert found(keyword="LIST_jan") == ["todo_list_Jan_1"]
    assert refused(guest, "os_search_files", keyword="x", root_dir="~/s/none")[0] == "not_found"

    rename = "os_rename_directory"
    before = tree(guest, "s/todo_list_Jan_1")
    result = done(guest, rename, old_path="~/s/todo_list_Jan_1", new_path="todo_list_Jan_2")
    assert result["new"] == f"{HOME}/s/todo_list_Jan_2"
    assert tree(guest, "s/todo_list_Jan_2") == before
    assert not there(guest, "s/todo_list_Jan_1")
    goal = {"old_path": "s/todo_list_Jan_2", "new_path": "~/s/новый год/1"}
    assert refused(guest, rename, **goal)[0] == "not_found"
    done(guest, rename, **goal, create_intermediate=True)
    assert tree(guest, "s/новый год/1") == before
    read(guest, "mkdir", f"{HOME}/s/taken")
    again = {"old_path": "~/s/новый год", "new_path": "taken"}
    assert refused(guest, rename, **again)[0] == "exists"
    assert refused(guest, rename, old_path="~/s", new_path="~/s/in")[0] == "same"
    wrong = refused(guest, rename, old_path="~/s/loop", new_path="x")
    assert wrong[0] == "not_folder"


@proves(
    "gio lists the trash, the harness reads the files",
    os_get_trash_directory="where gio puts what it deletes",
    os_list_trash="original paths, decoded",
    os_restore_file="files and folders are back with their content, and out of the trash",
)
def test_files_and_folders_are_restored_from_the_trash(guest: Guest) -> None:
    folder = done(guest, "os_get_trash_directory")["path"]
    name = "poster 100% ü🎉.webp"
    guest.put(f"~/party/{name}", b"first")
    guest.put("~/party/folder x/in/side.txt", b"kept")
    read(guest, "gio", "trash", f"{HOME}/party/{name}", f"{HOME}/party/folder x")
    assert guest.get(f"{folder}/{name}") == b"first"
    assert done(guest, "os_get_trash_directory")["items"] == 2
    listed = {file["original_path"]: file["kind"] for file in done(guest, "os_list_trash")}
    assert listed == {f"{HOME}/party/{name}": "file", f"{HOME}/party/folder x": "folder"}
    read(guest, "rmdir", f"{HOME}/party")
    assert done(guest, "os_restore_file", file_name=name)["path"] == f"{HOME}/party/{name}"
    done(guest, "os_restore_file", file_name="~/party/folder x")
    assert tree(guest, "party") == {name: "first", "folder x/in/side.txt": "kept"}
    assert read(guest, "gio", "trash", "--list") == ""

    # Two files of the same name: the choice must not be silent.
    read(guest, "gio", "trash", f"{HOME}/party/{name}")
    guest.put(f"~/party/{name}", b"second")
    read(guest, "gio", "trash", f"{HOME}/party/{name}")
    code, text = refused(guest, "os_restore_file", file_name=name)
    assert code == "ambiguous"
    stored = f"{folder}/{name}"
    assert stored in text
    done(guest, "os_restore_file", file_name=stored)
    assert guest.get(f"~/party/{name}") == b"first"
    assert refused(guest, "os_restore_file", file_name=name)[0] == "exists"
    done(guest, "os_restore_file", file_name=name, destination="~/party/two.webp")
    assert guest.get("~/party/two.webp") == b"second"
    assert refused(guest, "os_restore_file", file_name=name)[0] == "not_found"
    assert done(guest, "os_list_trash") == []
    for tool in ("os_list_trash", "os_get_trash_directory"):
        assert refused(guest, tool, path="~")[0] == "bad_arguments"


def png(image: Image.Image, **given: object) -> bytes:
    content = io.BytesIO()
    image.save(content, "PNG", **given)
    return content.getvalue()


@pytest.fixture(scope="module")
def pictures(guest: Guest) -> Guest:
    """A guest with a half-transparent logo, a rotated photograph, and a drawing on a noisy light
    background.
    """
    logo = Image.new("RGBA", (40, 20), (255, 0, 0, 255))
    logo.paste((0, 0, 0, 0), (0, 0, 20, 20))
    guest.put("~/p/lo go ж.png", png(logo))
    photo = Image.new("RGB", (30, 10), "blue")
    exif = photo.getexif()
    exif[0x0112] = 6
    lying = io.BytesIO()
    photo.save(lying, "JPEG", exif=exif)
    guest.put("~/p/photo.jpg", lying.getvalue())
    drawing = Image.new("RGB", (200, 120), (250, 250, 250))
    for x in range(0, 200, 2):
        drawing.paste((244, 246, 240), (x, 0, x + 1, 120))
    pen = ImageDraw.Draw(drawing)
    pen.ellipse((50, 20, 150, 100), fill=(20, 60, 200))
    pen.ellipse((90, 50, 110, 70), fill=(250, 250, 250))
    guest.put("~/p/drawing.png", png(drawing))
    return guest


def opened(guest: Guest, path: str) -> Image.Image:
    return Image.open(io.BytesIO(guest.get(path)))


@proves(
    "Pillow and pypdf open the files",
    os_convert_image_format="JPEG and PDF on white, PNG upright and with its transparency",
)
def test_pictures_are_converted_and_losses_are_noted(pictures: Guest) -> None:
    convert = "os_convert_image_format"
    arguments = {
        "image_path": "~/p/lo go ж.png",
        "output_format": "jpg",
        "output_path": "~/p/1.jpg",
    }
    result = done(pictures, convert, **arguments)
    assert result["format"] == "JPEG"
    assert result["notes"] == ["transparent areas became white"]
    image = opened(pictures, "~/p/1.jpg")
    assert (image.format, image.size) == ("JPEG", (40, 20))
    assert min(image.getpixel((3, 10))) > 250  # type: ignore[arg-type]
    assert refused(pictures, convert, **arguments)[0] == "exists"
    done(pictures, convert, **arguments, overwrite=True)

    done(pictures, convert, **{**arguments, "output_format": "pdf", "output_path": "~/p/1 ж.pdf"})
    [page] = pypdf.PdfReader(io.BytesIO(pictures.get("~/p/1 ж.pdf"))).pages
    assert [image.image.getpixel((3, 10)) for image in page.images if image.image] == [
        (255, 255, 255)
    ]

    done(pictures, convert, **{**arguments, "output_format": "webp", "output_path": "~/p/1.webp"})
    assert opened(pictures, "~/p/1.webp").getpixel((3, 10))[3] == 0  # type: ignore[index]
    upright = {"image_path": "~/p/photo.jpg", "output_format": "png", "output_path": "~/p/2.jpg"}
    assert "does not match" in done(pictures, convert, **upright, overwrite=True)["notes"][0]
    image = opened(pictures, "~/p/2.jpg")
    assert (image.format, image.size) == ("PNG", (10, 30))

    pictures.put("~/p/no.png", b"no picture")
    no = {**arguments, "image_path": "~/p/no.png", "output_path": "~/p/3.jpg"}
    assert refused(pictures, convert, **no)[0] == "no_image"
    pictures.put("~/p/no.png", pictures.get("~/p/photo.jpg")[:-200])
    assert refused(pictures, convert, **no)[0] == "no_image"
    with pytest.raises(NoSuchFileError):
        pictures.get("~/p/3.jpg")
    wrong = {**arguments, "output_format": "doc"}
    assert refused(pictures, convert, **wrong)[0] == "bad_arguments"
    nowhere = {**arguments, "output_path": "~/p/none/1.jpg"}
    assert refused(pictures, convert, **nowhere)[0] == "not_found"


@proves(
    "Pillow reads the alpha channel",
    os_remove_image_background="the ground is clear, what it encloses is not",
)
def test_a_plain_background_becomes_transparent(pictures: Guest) -> None:
    remove = "os_remove_image_background"
    arguments = {"image_path": "~/p/drawing.png", "output_path": "~/p/cut out.png"}
    result = done(pictures, remove, **arguments)
    image = opened(pictures, "~/p/cut out.png")
    assert image.mode == "RGBA"
    alpha = image.getchannel("A")
    assert [alpha.getpixel(item) for item in ((0, 0), (199, 119), (60, 60), (100, 60))] == [
        *(0, 0), *(255, 255)
    ]  # fmt: skip
    assert image.getpixel((60, 60)) == (20, 60, 200, 255)
    clear = alpha.histogram()[0] / (200 * 120)
    assert result["removed_percent"] == pytest.approx(clear * 100, abs=0.01)
    assert 0.6 < clear < 0.8
    strict = done(pictures, remove, **arguments, tolerance=0, overwrite=True)
    assert strict["removed_percent"] < result["removed_percent"]
    assert refused(pictures, remove, **arguments)[0] == "exists"
    everything = {**arguments, "tolerance": 255, "overwrite": True}
    assert refused(pictures, remove, **everything)[0] == "nothing_left"
    assert refused(pictures, remove, **{**arguments, "output_path": "~/p/x.jpg"})[0] == "bad_format"


@proves("Pillow counts and reads the pictures", os_ffmpeg_video_to_gif="the part that was asked")
def test_a_part_of_a_video_becomes_a_gif(guest: Guest) -> None:
    # Green for two seconds, red afterwards.
    film = f"{HOME}/fi lm ж.mp4"
    green, red = (f"color=c={item}:size=64x48:duration=2:rate=10" for item in ("lime", "red"))
    read(
        guest, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", green, "-f", "lavfi", "-i", red,
        "-filter_complex", "[0][1]concat", "-y", film,
    )  # fmt: skip
    make = "os_ffmpeg_video_to_gif"
    arguments = {"video_path": film, "output_path": "~/o ж.gif"}
    result = done(guest, make, **arguments, start_time="00:00:01", duration="2", fps=5, width=32)
    gif = opened(guest, "~/o ж.gif")
    assert (gif.format, gif.size, gif.info["loop"]) == ("GIF", (32, 24), 0)
    assert (gif.n_frames, result["frames"], result["seconds"]) == (10, 10, 2)  # type: ignore[attr-defined]
    colours = []
    for number in (0, 9):
        gif.seek(number)
        colours.append(gif.convert("RGB").getpixel((5, 5)))
    (_, first_green, _), (last_red, _, _) = colours  # type: ignore[misc]
    assert min(first_green, last_red) > 200
    part = {"start_time": "3", "duration": "1.5"}
    assert refused(guest, make, **arguments, **part)[0] == "exists"
    done(guest, make, **arguments, **part, overwrite=True)
    assert opened(guest, "~/o ж.gif").width == 480
    other = {**arguments, "output_path": "~/o2.gif"}
    assert refused(guest, make, **other, start_time=4, duration=1)[0] == "bad_time"
    assert refused(guest, make, **other, start_time="soon", duration="1")[0] == "bad_time"
    guest.put("~/no.mp4", b"no video")
    assert refused(guest, make, **{**other, "video_path": "~/no.mp4"}, **part)[0] == "no_video"
    with pytest.raises(NoSuchFileError):
        guest.get("~/o2.gif")
