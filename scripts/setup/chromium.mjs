import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { runStep } from './tool.mjs'

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
const APT = 'DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends fonts-liberation'
const INSTALL = `apt-get update && (${APT} chromium-headless-shell || ${APT} chromium)`

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

/** Chromium for the tests of the page, from the system's packages where that can be done. Without it they are skipped, so no failure stops. */
export function chromium(root, env) {
  return {
    isCurrent: () => findChromium(env) !== null || env.CHROMIUM_PATH !== undefined || !canInstall(env),
    make: async () => {
      try {
        await runStep(
          'Chromium for the tests of the page (apt-get install chromium-headless-shell)',
          ['sh', '-c', INSTALL],
          {
            cwd: root,
            env,
          },
        )
      } catch (error) {
        if (error.interrupted) throw error
        console.error(`${error.message}\n${CHROMIUM_MISSING}`)
      }
    },
  }
}

function canInstall(env) {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean)
  return process.getuid?.() === 0 && folders.some((folder) => isExecutable(join(folder, 'apt-get')))
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
