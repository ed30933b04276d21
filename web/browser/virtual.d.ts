/** The address of the frame's file, relative to the page's (vite.config.ts). */
declare module "virtual:browser-frame" {
  const address: string;
  export default address;
}
