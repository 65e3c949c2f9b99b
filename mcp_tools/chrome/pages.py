"""What the page of a tab says, and its form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.chrome import app
from ambidex.mcp_tools.chrome.devtools import connected, evaluate, page_of
from ambidex.mcp_tools.chrome.tabs import TabName, find

__all__ = ["app"]


@dataclass(frozen=True)
class PageText:
    """A piece of what a page shows; `next_offset` is where the rest begins, None at the end."""

    title: str
    url: str
    text: str
    characters: int
    next_offset: Optional[int]


@dataclass(frozen=True)
class FormField:
    """A field of a form. `value` is the text, the chosen option, or "true" or "false" for what is
    ticked; of a password only dots.
    """

    index: int
    label: str
    name: str
    kind: str
    value: str
    options: list[str]
    disabled: bool


@app.tool(reads_only=True)
def get_page_text(
    tab: TabName = None,
    offset: Annotated[int, Field(ge=0, description="characters to skip")] = 0,
    limit: Annotated[int, Field(ge=1, le=50_000, description="characters at most")] = 20_000,
) -> PageText:
    """Read the text of the web page (website, article) in a tab: what it says, or a part of it,
    without scrolling.
    """
    with connected() as browser:
        chosen = find(browser, tab)
        said = evaluate(
            browser,
            page_of(browser, chosen.id),
            "async () => [document.title, document.body?.innerText ?? '']",
        )
    title, text = said
    end = offset + limit
    piece = text[offset:end]
    return PageText(title, chosen.url, piece, len(text), end if end < len(text) else None)


FIELDS = """
const fields = () => [...document.querySelectorAll('input, select, textarea')].filter(
    each => !['hidden', 'submit', 'button', 'image', 'reset'].includes(each.type));
const label = each => (each.labels?.[0]?.innerText || each.getAttribute('aria-label')
    || each.placeholder || each.title || '').trim();
const ticked = each => ['checkbox', 'radio'].includes(each.type);
const shown = (each, index) => ({index, label: label(each), name: each.name || each.id,
    kind: each.type, disabled: each.disabled || !!each.readOnly,
    options: [...(each.options ?? [])].slice(0, 100).map(one => one.text.trim()),
    value: ticked(each) ? String(each.checked)
        : each.type === 'password' ? '•'.repeat(each.value.length)
        : each.options ? [...each.selectedOptions].map(one => one.text.trim()).join(', ')
        : each.value});
"""
LIST = f"async () => {{ {FIELDS} return fields().slice(0, 200).map(shown); }}"
FILL = f"""async (wanted, value) => {{ {FIELDS}
    const all = fields();
    const alike = text => text.trim().toLowerCase() === wanted.toLowerCase();
    let found = /^\\d+$/.test(wanted) ? [all[+wanted]].filter(each => each)
        : all.filter(each => alike(label(each)) || each.name === wanted || each.id === wanted);
    if (found.length > 1) found = found.filter(each => alike(each.value) || alike(label(each)));
    if (found.length !== 1) return {{code: found.length ? 'ambiguous' : 'no_field',
        names: all.slice(0, 60).map(shown)
            .map(each => `${{each.index}}: ${{each.label || each.name}}`)}};
    const [field] = found;
    if (field.disabled || field.readOnly) return {{code: 'disabled', names: []}};
    if (field.type === 'file') return {{code: 'bad_value', names: ['a file is chosen by hand']}};
    field.scrollIntoView({{block: 'center'}});
    field.focus();
    if (ticked(field)) {{
        const both = ['true', 'false'];
        if (!both.includes(value)) return {{code: 'bad_value', names: both}};
        if (String(field.checked) !== value) field.click();
    }} else if (field.options) {{
        const all = [...field.options];
        const one = all.find(each => each.text.trim() === value)
            ?? all.find(each => each.value === value);
        if (!one) return {{code: 'bad_value', names: all.map(each => each.text.trim())}};
        one.selected = true;
    }} else {{
        const own = field.tagName === 'TEXTAREA' ? HTMLTextAreaElement : HTMLInputElement;
        Object.getOwnPropertyDescriptor(own.prototype, 'value').set.call(field, value);
    }}
    if (!ticked(field)) for (const kind of ['input', 'change'])
        field.dispatchEvent(new Event(kind, {{bubbles: true}}));
    const kept = ticked(field) ? String(field.checked) === value
        : field.options || field.value.replaceAll('\\r', '') === value.replaceAll('\\r', '');
    return {{code: kept ? '' : 'bad_value', names: [], field: shown(field, all.indexOf(field))}};
}}"""


@app.tool(reads_only=True)
def get_form_fields(tab: TabName = None) -> list[FormField]:
    """List the fields of a form on a web page, what can or must be filled in on the website:
    inputs, choices and checkboxes, with labels and values. At most 200; none inside frames.
    """
    with connected() as browser:
        session = page_of(browser, find(browser, tab).id)
        return [FormField(**each) for each in evaluate(browser, session, LIST)]


@app.tool()
def fill_form_field(
    field: Annotated[
        str,
        Field(
            min_length=1,
            description="its label, name or id, or index from chrome_get_form_fields",
        ),
    ],
    value: Annotated[
        str, Field(description='text, the text of an option, or "true" or "false" for a box')
    ],
    tab: TabName = None,
) -> FormField:
    """Fill in a field of a web form: enter text or a number, choose a dropdown option or tick a box
    on the page, as if typed. Does not submit. Returns the field's new state.
    """
    with connected() as browser:
        session = page_of(browser, find(browser, tab).id)
        said = evaluate(browser, session, FILL, field, value)
    if said["code"]:
        words = {
            "no_field": f"The page has no field {field!r}.",
            "ambiguous": f"Several fields are {field!r}.",
            "disabled": f"The field {field!r} cannot be changed now.",
            "bad_value": f"The field {field!r} does not take {value!r}.",
        }
        hint = f"There are: {'; '.join(said['names'])}." if said["names"] else ""
        raise ToolError(words[said["code"]], code=said["code"], hint=hint)
    return FormField(**said["field"])
