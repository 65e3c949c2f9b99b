"""Tools that read the text of a page and fill in its forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.chrome import app
from ambidex.mcp_tools.chrome.devtools import attach_to_page, connected, evaluate
from ambidex.mcp_tools.chrome.tabs import TabName, find_tab

__all__ = ["app"]


@dataclass(frozen=True)
class PageText:
    """Part of a page's text; `next_offset` is where the rest begins, None at the end."""

    title: str
    url: str
    text: str
    characters: int
    next_offset: Optional[int]


@dataclass(frozen=True)
class FormField:
    """A form field. `value` is its text, its selected option, "true" or "false" for a checkbox or
    radio button, or dots for a password.
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
        target = find_tab(browser, tab)
        answer = evaluate(
            browser,
            attach_to_page(browser, target.id),
            "async () => [document.title, document.body?.innerText ?? '']",
        )
    title, text = answer
    end = offset + limit
    piece = text[offset:end]
    return PageText(title, target.url, piece, len(text), end if end < len(text) else None)


FIELDS = """
const fields = () => [...document.querySelectorAll('input, select, textarea')].filter(
    field => !['hidden', 'submit', 'button', 'image', 'reset'].includes(field.type));
const label = field => (field.labels?.[0]?.innerText || field.getAttribute('aria-label')
    || field.placeholder || field.title || '').trim();
const tickable = field => ['checkbox', 'radio'].includes(field.type);
const describe = (field, index) => ({index, label: label(field), name: field.name || field.id,
    kind: field.type, disabled: field.disabled || !!field.readOnly,
    options: [...(field.options ?? [])].slice(0, 100).map(option => option.text.trim()),
    value: tickable(field) ? String(field.checked)
        : field.type === 'password' ? '•'.repeat(field.value.length)
        : field.options ? [...field.selectedOptions].map(option => option.text.trim()).join(', ')
        : field.value});
"""
LIST = f"async () => {{ {FIELDS} return fields().slice(0, 200).map(describe); }}"
FILL = f"""async (key, value) => {{ {FIELDS}
    const all = fields();
    const same = text => text.trim().toLowerCase() === key.toLowerCase();
    let matches = /^\\d+$/.test(key) ? [all[+key]].filter(field => field)
        : all.filter(field => same(label(field)) || field.name === key || field.id === key);
    if (matches.length > 1)
        matches = matches.filter(field => same(field.value) || same(label(field)));
    if (matches.length !== 1) return {{code: matches.length ? 'ambiguous' : 'no_field',
        names: all.slice(0, 60).map(describe)
            .map(field => `${{field.index}}: ${{field.label || field.name}}`)}};
    const [field] = matches;
    if (field.disabled || field.readOnly) return {{code: 'disabled', names: []}};
    if (field.type === 'file')
        return {{code: 'bad_value', names: ['a file has to be chosen by mouse and keyboard']}};
    field.scrollIntoView({{block: 'center'}});
    field.focus();
    if (tickable(field)) {{
        const both = ['true', 'false'];
        if (!both.includes(value)) return {{code: 'bad_value', names: both}};
        if (String(field.checked) !== value) field.click();
    }} else if (field.options) {{
        const options = [...field.options];
        const option = options.find(each => each.text.trim() === value)
            ?? options.find(each => each.value === value);
        if (!option) return {{code: 'bad_value', names: options.map(each => each.text.trim())}};
        option.selected = true;
    }} else {{
        const element = field.tagName === 'TEXTAREA' ? HTMLTextAreaElement : HTMLInputElement;
        Object.getOwnPropertyDescriptor(element.prototype, 'value').set.call(field, value);
    }}
    if (!tickable(field)) for (const kind of ['input', 'change'])
        field.dispatchEvent(new Event(kind, {{bubbles: true}}));
    const accepted = tickable(field) ? String(field.checked) === value
        : field.options || field.value.replaceAll('\\r', '') === value.replaceAll('\\r', '');
    return {{code: accepted ? '' : 'bad_value', names: [],
        field: describe(field, all.indexOf(field))}};
}}"""


@app.tool(reads_only=True)
def get_form_fields(tab: TabName = None) -> list[FormField]:
    """List the fields of a form on a web page, what can or must be filled in on the website:
    inputs, choices and checkboxes, with labels and values. At most 200; none inside frames.
    """
    with connected() as browser:
        session = attach_to_page(browser, find_tab(browser, tab).id)
        return [FormField(**field) for field in evaluate(browser, session, LIST)]


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
        session = attach_to_page(browser, find_tab(browser, tab).id)
        result = evaluate(browser, session, FILL, field, value)
    if result["code"]:
        messages = {
            "no_field": f"The page has no field {field!r}.",
            "ambiguous": f"Several fields match {field!r}.",
            "disabled": f"The field {field!r} is disabled or read-only.",
            "bad_value": f"The field {field!r} does not accept {value!r}.",
        }
        hint = f"Choices: {'; '.join(result['names'])}." if result["names"] else ""
        raise ToolError(messages[result["code"]], code=result["code"], hint=hint)
    return FormField(**result["field"])
