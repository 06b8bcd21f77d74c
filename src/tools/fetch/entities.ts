// Character references of HTML: the numeric ones, Latin-1, and the signs that pages really use. Pure.

/** U+00A0 to U+00FF in their order. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
const SIGNS =
  'amp & lt < gt > quot " apos \' hellip … mdash — ndash – lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ bull • dagger † permil ‰ prime ′ lsaquo ‹ rsaquo › euro € trade ™ larr ← uarr ↑ rarr → darr ↓ harr ↔ rArr ⇒ hArr ⇔ forall ∀ exist ∃ isin ∈ sum ∑ minus − radic √ infin ∞ cap ∩ cup ∪ asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ alpha α beta β gamma γ delta δ epsilon ε lambda λ mu μ pi π sigma σ tau τ phi φ omega ω Delta Δ Sigma Σ Omega Ω check ✓ lbrace { rbrace } lbrack [ rbrack ] lpar ( rpar ) num # colon : comma , period . sol / bsol \\ lowbar _ grave ` ast * plus + equals = dollar $ percnt % excl ! quest ? semi ; commat @ Tab \t';

const pairs = SIGNS.split(' ');
const NAMED: ReadonlyMap<string, string> = new Map([
  ...LATIN.split(' ').map((name, i) => [name, String.fromCodePoint(0xa0 + i)] as const),
  ...pairs.flatMap((name, i) => (i % 2 === 0 ? [[name, pairs[i + 1] ?? ''] as const] : [])),
  ['NewLine', '\n'],
  ['ensp', ' '],
  ['emsp', ' '],
  ['thinsp', ' '],
]);

function ofNumber(digits: string): string {
  const hex = /^x/i.test(digits);
  const code = Number.parseInt(hex ? digits.slice(1) : digits, hex ? 16 : 10);
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? String.fromCodePoint(code) : '\uFFFD';
}

/** A reference without its semicolon, or one that is unknown, stays as it is. */
export const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(
        /&(?:#(x[\da-f]{1,6}|\d{1,7})|([a-z][a-z\d]{1,30}));/gi,
        (whole, digits, name) =>
          digits === undefined ? (NAMED.get(name) ?? whole) : ofNumber(digits),
      )
    : text;
