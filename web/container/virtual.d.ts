/** The name of the file of the frame of containers, beside the script that imports it (vite.config.ts). */
declare module "virtual:container-frame" {
  const name: string;
  export default name;
}
