/** What is said of a point, beside it while the pointer or the focus is on it. */

const GAP = 12;

export class Tip {
    private readonly element = document.createElement("div");

    constructor() {
        this.element.className = "tip";
        this.element.setAttribute("aria-hidden", "true"); // the point's own label says the same
        this.element.hidden = true;
        document.body.append(this.element);
    }

    /** The first line of the text is its title. It stays inside the window. */
    show(beside: Element, text: string): void {
        const [title = "", ...lines] = text.split("\n");
        const head = document.createElement("strong");
        head.textContent = title;
        this.element.replaceChildren(head, ...lines.flatMap((line) => [document.createElement("br"), line]));
        this.element.hidden = false;
        const { left, right, top, bottom } = beside.getBoundingClientRect();
        const { offsetWidth, offsetHeight } = this.element;
        const x = right + GAP + offsetWidth <= window.innerWidth ? right + GAP : Math.max(left - GAP - offsetWidth, 0);
        const y = Math.min((top + bottom - offsetHeight) / 2, window.innerHeight - offsetHeight - 4);
        this.element.style.left = `${x + window.scrollX}px`;
        this.element.style.top = `${Math.max(y, 4) + window.scrollY}px`;
    }

    hide(): void {
        this.element.hidden = true;
    }
}
