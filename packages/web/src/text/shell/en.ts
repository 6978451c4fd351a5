import type { Messages } from '../define'

/** The frame around every page. */
export const en = {
  skip: 'Skip to content',
  menu: 'Menu',
  nav: 'Pages',
  'nav.home': 'Home',
  'nav.data': 'Data',
  'nav.train': 'New training',
  'nav.runs': 'Runs',
  'nav.studies': 'Studies',
  'nav.models': 'Models',
  'nav.workflows': 'Workflows',
  'nav.system': 'System',
  language: 'Language',
  theme: 'Theme',
  'theme.system': 'System default',
  'theme.light': 'Light',
  'theme.dark': 'Dark',
  'connection.lost':
    'The service is not responding. Your input is not lost; the page reconnects as soon as the service is back.',
  'notFound.title': 'Page not found',
  'notFound.text': ({ path }: { path: string }) => `No page exists at ${path}.`,
} satisfies Messages
