import { delimiter, join } from 'node:path'
import { debianProgram, isExecutable } from './debian-program.mjs'

/** The headless shell first: it draws the same pages without the processes and windows of a browser for people. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
const PLACES = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
  ],
  linux: [
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/snap/bin/chromium',
    '/opt/google/chrome/chrome',
  ],
}

/** The executable of an installed Chromium: CHROMIUM_PATH, else one on the PATH or in a usual place; null where there is none. */
export function findChromium(env = process.env, platform = process.platform) {
  if (env.CHROMIUM_PATH) return isExecutable(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : null
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean)
  const places = [
    ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
    ...(PLACES[platform] ?? []),
  ]
  return places.find(isExecutable) ?? null
}

// A switch that is given twice holds as it stands last, so those that Playwright sets for steadiness are here again.
const WITHOUT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  // Pages of its own that every window loads for the address bar: an eighth of the processor time of the tests.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
]

/** How tests, benches and screenshots start it: offline, drawn by the processor, and without what is there for people alone. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${WITHOUT.join()}`,
]

/** What to do where the tests of the page find no browser. */
export const CHROMIUM_MISSING =
  'The tests of the page are skipped: no Chromium was found. Install Chromium or Chrome (Debian: apt-get install chromium-headless-shell), or set ' +
  'CHROMIUM_PATH to its executable.'

/** Chromium for the tests of the page. */
export function chromium(root, env) {
  return debianProgram({
    ...{ root, env },
    title: 'Chromium for the tests of the page (apt-get install chromium-headless-shell)',
    isPresent: () => findChromium(env) !== null || env.CHROMIUM_PATH !== undefined,
    choices: [
      ['fonts-liberation', 'chromium-headless-shell'],
      ['fonts-liberation', 'chromium'],
    ],
    missing: CHROMIUM_MISSING,
  })
}
