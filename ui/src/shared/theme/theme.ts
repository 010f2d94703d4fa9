import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** The one accent. The shades that show are tokens; Mantine wants ten. */
const accent: MantineColorsTuple = [
  'var(--accent-soft)',
  'var(--accent-soft)',
  'var(--accent-soft)',
  'var(--accent)',
  'var(--accent)',
  'var(--accent)',
  'var(--accent-fill)',
  'var(--accent-fill)',
  'var(--accent-fill)',
  'var(--accent-fill-hover)',
];

/** For what can't be undone. */
const danger: MantineColorsTuple = [
  'var(--red-soft)',
  'var(--red-soft)',
  'var(--red-soft)',
  'var(--red)',
  'var(--red)',
  'var(--red)',
  'var(--danger-fill)',
  'var(--danger-fill)',
  'var(--danger-fill)',
  'var(--danger-fill-hover)',
];

const sizes = { xs: '13px', sm: '14px', md: '16px', lg: '20px', xl: '28px' };

/** Sizes, type and shapes of design/ui: 4 px grid, 6 px controls, 8 px cards. */
export const theme = createTheme({
  primaryColor: 'accent',
  colors: { accent, danger },
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: sizes,
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '8px', xl: '8px' },
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
  focusRing: 'auto',
});

/** Mantine's names for our tokens. */
const shared = {
  '--mantine-color-body': 'var(--card)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--ink-quiet)',
  '--mantine-color-placeholder': 'var(--ink-quiet)',
  '--mantine-color-error': 'var(--red)',
  '--mantine-color-default': 'var(--card)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-primary-color-filled': 'var(--accent-fill)',
  '--mantine-primary-color-filled-hover': 'var(--accent-fill-hover)',
  '--mantine-primary-color-light': 'var(--accent-soft)',
  '--mantine-primary-color-light-hover': 'var(--accent-soft)',
  '--mantine-primary-color-light-color': 'var(--accent)',
  '--mantine-primary-color-contrast': 'var(--accent-ink)',
  '--mantine-color-accent-filled': 'var(--accent-fill)',
  '--mantine-color-accent-filled-hover': 'var(--accent-fill-hover)',
  '--mantine-color-danger-filled': 'var(--danger-fill)',
  '--mantine-color-danger-filled-hover': 'var(--danger-fill-hover)',
  '--mantine-color-accent-outline': 'var(--accent)',
  '--mantine-shadow-md': 'var(--float)',
  '--mantine-shadow-xl': 'var(--float)',
};

/** Lets Mantine's components use the tokens. */
export const resolver: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...shared, '--mantine-color-gray-3': 'var(--line)', '--mantine-color-gray-4': 'var(--line-strong)' },
  dark: {
    ...shared,
    '--mantine-color-dark-4': 'var(--line-strong)',
    '--mantine-color-dark-5': 'var(--hover)',
    '--mantine-color-dark-6': 'var(--card)',
    '--mantine-color-dark-7': 'var(--card)',
  },
});
