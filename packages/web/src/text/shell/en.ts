import type { Messages } from '../define'

/** The frame around every page. */
export const en = {
  skip: 'Skip to the content',
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
  'theme.system': 'As the system',
  'theme.light': 'Light',
  'theme.dark': 'Dark',
  'connection.lost':
    'The service does not answer. What you typed is kept; this page goes on when the service is back.',
  'notFound.title': 'No such page',
  'notFound.text': ({ path }: { path: string }) => `There is nothing at ${path}.`,
} satisfies Messages
