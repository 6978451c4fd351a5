// Words and forms that no file of the repository contains, each with its replacement.

const NOT_AFTER_THERE = String.raw`(?<!\bthere |\bthere may |\bthere can |\bthere must |\bthere will )`

/** First words of a comment or docstring. */
const COMMENT = String.raw`^\s*(?:\/\/|\/\*\*?|\*|#|"""|<!--)\s*`

/** Files of prose: documents, and the texts of the page and of the service. */
const TEXTS = /\.md$|\/(?:src\/text|phrases|codes)\/(?!.*\.test\.ts$).*\.ts$/

/**
 * `pattern`: matched against each line, ignoring case unless `cased`; `files`: only these; `remedy`: the replacement.
 *
 * @type {readonly { pattern: string, cased?: boolean, files?: RegExp, remedy: string }[]}
 */
export const RULES = [
  { pattern: String.raw`\bsub-folder`, remedy: '"subfolder"' },
  { pattern: String.raw`\d %(?=$|[\s.,;:)|*])`, files: TEXTS, remedy: 'the percent sign without a space' },
  { pattern: String.raw`\btracebacks?\b`, files: TEXTS, remedy: '"stack trace"' },
  { pattern: String.raw`\bcatalogues?\b(?!\.)`, files: TEXTS, remedy: '"catalog"' },
  { pattern: String.raw`(?<!\.)\bbeside\b`, files: TEXTS, remedy: '"next to" or "compared with"' },
  { pattern: String.raw`\btest data have\b`, remedy: '"has": data is singular' },
  {
    pattern: `${COMMENT}(?:Of|What|Whose|Who|Why|That|Those of|How much|So that) `,
    cased: true,
    files: /\.(?!md$)\w+$/,
    remedy: 'start the comment with a noun or write a full sentence',
  },
  {
    pattern: String.raw`${COMMENT}[^\n]*\b(?:tells?|told|says?|said|hears?|heard)\b`,
    files: /\.(?!md$)\w+$/,
    remedy: '"report", "notify", "state", "show" or "receive"',
  },
  {
    pattern: String.raw`(?:^\s*|\b(?:description|title|summary|meaning): )['"\`](?:Of|Whose) [a-z]`,
    cased: true,
    files: /\.tsx?$/,
    remedy: 'start the text with a noun or write a full sentence',
  },
  {
    pattern: String.raw`${NOT_AFTER_THERE}\b(?:is|are|was|were|be|been|being|becomes?|became|remains?) no (?!longer\b|more\b|less\b|later\b|fewer\b)[a-z]`,
    remedy: '"is not a …"',
  },
  {
    pattern: String.raw`${NOT_AFTER_THERE}\b(?:is|are|was|were|be) none\b(?! of\b)`,
    cased: true,
    remedy: '"is missing", "is invalid", "does not count" or "there is none"',
  },
  { pattern: String.raw`\bdata sets?\b`, remedy: '"dataset"' },
  {
    pattern: String.raw`\b(?:told|tell|tells|telling) (?:\w+ )?apart\b`,
    remedy: '"significant", "distinguish" or "separate"',
  },
  { pattern: String.raw`\bas many \w*\s?as may\b`, remedy: '"the limit is reached"' },
  { pattern: String.raw`\banew\b`, remedy: '"again", "from scratch" or "restart"' },
  { pattern: String.raw`\bspeaks? of\b`, remedy: '"uses", "describes" or "refers to"' },
  { pattern: String.raw`\bfrom afar\b`, remedy: '"overview"' },
  { pattern: 'colour', remedy: '"color"' },
  { pattern: String.raw`\bcentre|centred\b`, remedy: '"center"' },
  { pattern: '(?<!aria-)labell(?:ed|ing)', remedy: '"labeled", "labeling"' },
  { pattern: String.raw`\bgrey`, remedy: '"gray"' },
  { pattern: 'behaviour|neighbour|favour|honour', remedy: 'the spelling with -or' },
  { pattern: String.raw`\bdefence|licence\b`, remedy: 'the spelling with -se' },
  {
    pattern: String.raw`judgement|\bmodell(?:ed|ing)\b|travell(?:ed|ing)|\bfulfil\b|artefact`,
    remedy: 'the US spelling',
  },
  {
    pattern: String.raw`(?:normal|standard|organ|initial|recogn|serial|visual|summar|minim|maxim|general|optim|regular|token)is(?:e|ed|es|er|ing|ation)\b`,
    remedy: 'the spelling with -ize',
  },
  { pattern: String.raw`\banalys(?:e|ed|ing)\b`, remedy: 'the spelling with -yze' },
]
