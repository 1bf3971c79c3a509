/**
 * Finds the faults in the layout of the page that is shown, as text for `page.evaluate`: a list of sentences. It measures what
 * is drawn: an element that scrolls sideways on purpose, as code does, is left out, and so is what is hidden.
 */
export const layoutFaults = `(() => {
  const narrow = innerWidth < 720;
  const scrolls = "pre, .markdown table, .diff, .issues-board, .issues-views, .tabs, .spend-agent-days" + (narrow ? ", .filters" : "");
  const faults = [];
  const named = (element, text) => {
    const { className, tagName } = element;
    return tagName.toLowerCase() + (typeof className === "string" && className !== "" ? "." + className.trim().split(/\\s+/).join(".") : "") + " “" + (text ?? element.textContent).trim().slice(0, 40) + "”";
  };
  /* A menu or a panel lies over what is below it on purpose. */
  const menu = [...document.querySelectorAll("[role=menu], .panel")].find((each) => each.checkVisibility());
  const modal = menu ?? document.querySelector("dialog[open]");
  const root = modal ?? document.body;
  for (const { top, bottom } of modal?.getClientRects() ?? [])
    if (top < 0 || bottom > innerHeight) faults.push("beyond the window: " + named(modal, modal.querySelector("h2")?.textContent ?? "") + " by " + Math.max(-top, bottom - innerHeight));
  if (document.documentElement.scrollWidth > innerWidth) {
    const widest = [...document.querySelectorAll("body *")].filter((each) => each.getBoundingClientRect().right > innerWidth + 1).at(-1);
    faults.push("the page is wider than the window for " + (widest === undefined ? "nothing" : named(widest)));
  }
  if (document.documentElement.scrollHeight > innerHeight) faults.push("the frame scrolls by " + (document.documentElement.scrollHeight - innerHeight));
  for (const element of root.querySelectorAll("*")) {
    if (element.closest(scrolls) || element.closest(".only-read, [aria-hidden=true]")) continue;
    const { overflowX } = getComputedStyle(element);
    if ((overflowX === "auto" || overflowX === "scroll") && element.scrollWidth > element.clientWidth + 1)
{
      const edge = element.getBoundingClientRect().left + element.clientWidth + 1;
      const widest = [...element.querySelectorAll("*")].filter((each) => each.getBoundingClientRect().right > edge).at(-1);
      faults.push("scrolls sideways: " + named(element, "") + (widest === undefined ? "" : " for " + named(widest)));
    }
  }
  /* The part of a rectangle that is drawn: what ancestors cut off is not. */
  const drawn = (rect, element) => {
    let { left, top, right, bottom } = rect;
    for (let each = element; each !== null && each !== document.documentElement; each = each.parentElement) {
      const style = getComputedStyle(each);
      if (style.overflowX !== "visible" || style.overflowY !== "visible") {
        const box = each.getBoundingClientRect();
        left = Math.max(left, box.left); right = Math.min(right, box.right);
        top = Math.max(top, box.top); bottom = Math.min(bottom, box.bottom);
      }
      if (style.position === "fixed") break;
    }
    return { left, top, right, bottom };
  };
  const texts = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const element = node.parentElement;
    const text = node.data.trim();
    if (text === "" || element.closest(".only-read, [aria-hidden=true], option, script, style, noscript, textarea, .toasts, .skip")) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const lines = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
    if (lines.length === 0) continue;
    const seen = lines.map((line) => drawn(line, element)).filter(({ left, right, top, bottom }) => right - left > 1 && bottom - top > 1);
    const offScreen = lines.every(({ top, bottom }) => bottom < 0 || top > innerHeight);
    if (element.closest(scrolls) === null && seen.some(({ right, left }) => right > innerWidth + 1 || left < -1))
      faults.push("beyond the window: " + named(element, text));
    /* A word that is not long is not broken. */
    const tops = new Set(lines.map(({ top }) => Math.round(top)));
    if (text.length < 20 && !/[\\s\\u2E80-\\uFFEF-]/.test(text) && tops.size > 1) faults.push("is broken: " + named(element, text));
    if (tops.size > 1 && element.matches(".table .time")) faults.push("a time in " + tops.size + " lines: " + named(element, text));
    /* Words that are cut off, or broken into short lines, have 80 pixels at least. */
    const widest = Math.max(...lines.map(({ width }) => width));
    const wanted = lines.reduce((sum, { width }) => sum + width, 0);
    let box = element;
    while (getComputedStyle(box).display.startsWith("inline") && !box.matches(".cut")) box = box.parentElement;
    const { textWrapMode, textOverflow } = getComputedStyle(box);
    const flows = textWrapMode !== "nowrap" || textOverflow === "ellipsis";
    const shown = Math.max(flows ? box.clientWidth : 0, ...seen.map(({ left, right }) => right - left));
    if (wanted > 90 && shown < 79 && !offScreen && seen.length > 0 && element.closest(scrolls) === null) faults.push("has " + Math.round(shown) + " pixels: " + named(element, text));
    if (wanted > 90 && seen.length === 0 && !offScreen && element.closest("details:not([open])") === null) {
      const scroller = [...function* () { for (let each = element; each; each = each.parentElement) yield each; }()].find((each) => /auto|scroll/.test(getComputedStyle(each).overflowY) && each.scrollHeight > each.clientHeight);
      if (scroller === undefined && !element.closest(scrolls)) faults.push("cannot be seen: " + named(element, text));
    }
    /* Of a name the end is cut off, whatever its direction. */
    const letter = node.data.search(/\\p{L}/u);
    if (textOverflow === "ellipsis" && textWrapMode === "nowrap" && letter >= 0 && box.textContent.trimStart().startsWith(text.slice(0, 8))) {
      range.setStart(node, letter);
      range.setEnd(node, letter + 1);
      const first = range.getBoundingClientRect();
      const edge = box.getBoundingClientRect();
      if (first.left < edge.left - 1 || first.right > edge.right + 1) faults.push("begins beyond its edge: " + named(element, text));
    }
    for (const rect of seen) texts.push({ node, element, text, rect });
  }
  /* Texts over texts. */
  texts.sort((a, b) => a.rect.top - b.rect.top);
  for (let n = 0; n < texts.length; n++)
    for (let m = n + 1; m < texts.length && texts[m].rect.top < texts[n].rect.bottom; m++) {
      const [a, b] = [texts[n], texts[m]];
      if (a.node === b.node) continue;
      const width = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left);
      const height = Math.min(a.rect.bottom, b.rect.bottom) - Math.max(a.rect.top, b.rect.top);
      /* Lines of one paragraph may touch. */
      if (width > 3 && height > 6) faults.push("one over the other: " + named(a.element, a.text) + " and " + named(b.element, b.text));
    }
  for (const button of root.querySelectorAll("button, .button"))
    if (button.scrollWidth > button.clientWidth + 1 && getComputedStyle(button).textOverflow !== "ellipsis" && button.checkVisibility() && !button.closest(".only-read, .skip")) faults.push("longer than its button: " + named(button));
  for (const column of root.querySelectorAll(".issues-column"))
    if (column.getBoundingClientRect().width > 300) faults.push("column as wide as a word: " + named(column));
  /* A control that has words or an icon shows itself whole. */
  for (const control of root.querySelectorAll("button, .button, input:not([type=checkbox], [type=radio]), select, textarea, summary, [role=tab]")) {
    if (control.closest(".skip, .only-read, .toasts") || !control.checkVisibility({ opacityProperty: true })) continue;
    const box = control.getBoundingClientRect();
    if (box.width === 0) continue;
    if (narrow && !control.closest(scrolls) && control.matches("button, .button, input, select, [role=tab], summary") && (box.height < 43.5 || box.width < 43.5))
      faults.push("target of " + Math.round(box.width) + " × " + Math.round(box.height) + ": " + named(control, control.getAttribute("aria-label") ?? control.textContent));
    const part = drawn(box, control.parentElement);
    if (control.closest(scrolls) === null && (part.left > box.left + 1 || part.right < box.right - 1))
      faults.push("is cut off: " + named(control, control.getAttribute("aria-label") ?? control.textContent));
    if (control.closest(scrolls) === null && (box.right > innerWidth + 1 || box.left < -1)) faults.push("beyond the window: " + named(control));
  }
  return [...new Set(faults)];
})()`;

/** The same for toasts: each is whole and readable, and over no bar that can't be scrolled out from under it. */
export const toastFaults = `(() => {
  const narrow = innerWidth < 720;
  const faults = [];
  for (const toast of document.querySelectorAll(".toast")) {
    const box = toast.getBoundingClientRect();
    const text = toast.textContent.trim().slice(0, 40);
    if (box.left < 0 || box.right > innerWidth || box.top < 0 || box.bottom > innerHeight) faults.push("beyond the window: " + text);
    if (toast.scrollWidth > toast.clientWidth + 1) faults.push("wider than its toast: " + text);
    if (toast.querySelector(".grow").clientWidth < 80) faults.push("has no 80 pixels: " + text);
    for (const button of toast.querySelectorAll("button")) {
      const { width, height } = button.getBoundingClientRect();
      if (narrow && (width < 43.5 || height < 43.5)) faults.push("target of " + width + " × " + height + ": " + button.textContent);
    }
    for (const bar of document.querySelectorAll(".bottom-bar, .issues-bulk, .page-head, .filters")) {
      const under = bar.getBoundingClientRect();
      if (under.width > 0 && Math.min(box.right, under.right) - Math.max(box.left, under.left) > 1 && Math.min(box.bottom, under.bottom) - Math.max(box.top, under.top) > 1)
        faults.push("over " + bar.className + ": " + text);
    }
  }
  return [...new Set(faults)];
})()`;
