"""`vox session`, `vox chat`, `vox history`: what is written into the archive itself."""
