import { delimiter, join } from 'node:path'
import { debianProgram, isExecutable } from './debian-program.mjs'

/** The headless shell first: it renders the same pages without the processes and windows of a desktop browser. */
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

/** The executable of an installed Chromium: CHROMIUM_PATH, otherwise one on the PATH or in a usual place; null if there is none. */
export function findChromium(env = process.env, platform = process.platform) {
  if (env.CHROMIUM_PATH) return isExecutable(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : null
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean)
  const places = [
    ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
    ...(PLACES[platform] ?? []),
  ]
  return places.find(isExecutable) ?? null
}

// The last of repeated switches applies, so those that Playwright sets for stability are repeated here.
const WITHOUT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  // A process for the next page, which no page of a reused context needs: a sixth of the processor time of the tests.
  'SpareRendererForSitePerProcess',
  'ThirdPartyStoragePartitioning',
  // Internal pages that every window loads for the address bar: an eighth of the processor time of the tests.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
]

/** Flags for tests, benches and screenshots: offline, software rendering, and without features that only people need. */
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

/** Remedy if the page tests find no browser. */
export const CHROMIUM_MISSING =
  'The tests of the page are skipped: no Chromium was found. Install Chromium or Chrome (Debian: apt-get install chromium-headless-shell), or set ' +
  'CHROMIUM_PATH to its executable.'

/** Chromium for the page tests. */
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
