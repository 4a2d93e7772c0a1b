// Which words of two lines differ: the longest common sequence of words.

const MOST = 250;  // words of a line

function split(text) {
    return text.match(/\w+|\s+|[^\w\s]/gu) || [];
}

function common(a, b) {
    const wide = b.length + 1;
    const table = new Uint16Array((a.length + 1) * wide);

    for (let i = a.length - 1; i >= 0; i--)
        for (let j = b.length - 1; j >= 0; j--)
            table[i * wide + j] = a[i] === b[j]
                ? table[(i + 1) * wide + j + 1] + 1
                : Math.max(table[(i + 1) * wide + j], table[i * wide + j + 1]);
    return table;
}

function ranges(words, same) {
    const out = [];
    let at = 0;

    words.forEach((word, i) => {
        const last = out[out.length - 1];

        if (!same[i] && last && last[1] === at)
            last[1] = at + word.length;
        else if (!same[i])
            out.push([at, at + word.length]);
        at += word.length;
    });
    return out;
}

// { old: [[start, end]], new: … }, or null: too long, or too little in common.
export function wordMarks(before, after) {
    const a = split(before), b = split(after);

    if (a.length > MOST || b.length > MOST)
        return null;
    const table = common(a, b);
    const wide = b.length + 1;
    const sameA = [], sameB = [];
    let i = 0, j = 0, kept = 0;

    while (i < a.length && j < b.length) {
        if (a[i] === b[j]) {
            sameA[i] = sameB[j] = true;
            kept += a[i].trim().length;
            i++;
            j++;
        } else if (table[(i + 1) * wide + j] >= table[i * wide + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
    const least = Math.min(before.trim().length, after.trim().length);

    if (kept * 3 < least)
        return null;
    return {old: ranges(a, sameA), new: ranges(b, sameB)};
}
