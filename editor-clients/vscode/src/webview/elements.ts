/** Elements of the page. Texts are text nodes, so nothing that strangers wrote is markup. */

type Child = Node | string;

export function element(tag: string, attributes: Record<string, string>, ...children: Child[]): HTMLElement {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
}

/** A button that keeps its focus when the page is drawn again: `key` tells it. */
export function button(key: string, text: string, title: string, run: () => unknown, pressed?: boolean): HTMLElement {
    const made = element("button", { type: "button", title, "data-key": key }, text);
    if (pressed !== undefined) {
        made.setAttribute("aria-pressed", String(pressed));
    }
    made.addEventListener("click", run);
    return made;
}
